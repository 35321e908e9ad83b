#include "systolic/transformers/rows/tokenized_rows.h"

#include <algorithm>
#include <functional>

#include "systolic/base/error.h"
#include "systolic/base/log.h"

namespace systolic::inline v0 {
namespace {

// Texts that are tokenized at a time: enough for all threads, little to hold.
constexpr size_t texts_at_once = 8192;

struct TextColumns {
  std::string text, pair;
  bool tokenized = false;  // before: the dataset has input_ids
};

void check_column(const Example& element, const std::string& name, SourceLocation location) {
  const Literal* column = element.find(name);
  if (column != nullptr && column->dtype() == DType::string && column->shape().rank() == 0) return;
  raise<InvalidArgument>({.what = str("prepare_dataset: the dataset has no texts '", name, "'"),
                          .got = to_string(element),
                          .wanted = "a string scalar of that name",
                          .location = location});
}

TextColumns columns_of(const Example& first, const PrepareOptions& options,
                       SourceLocation location) {
  TextColumns columns{options.text, options.pair};
  if (columns.text.empty() && first.contains("input_ids")) return {{}, {}, true};
  if (columns.text.empty()) {
    std::vector<std::string> texts;
    for (const Example::Component& component : first) {
      const bool is_label = component.name == "label" || component.name == "labels";
      if (component.value.dtype() == DType::string && !is_label) texts.push_back(component.name);
    }
    if (texts.empty() || texts.size() > 2) {
      raise<InvalidArgument>(
          {.what = str("prepare_dataset: the dataset has ",
                       texts.empty() ? "no column" : str(texts.size(), " columns"), " of texts"),
           .got = to_string(first),
           .wanted = "one, a text and its pair, or \"input_ids\"",
           .hint = "name them: {.text = \"sentence\"}",
           .location = location});
    }
    columns.text = texts[0];
    if (texts.size() == 2 && columns.pair.empty()) {
      columns.pair = texts[1];
      log_info(str("prepare_dataset: each '", texts[0], "' is paired with its '", texts[1],
                   "'; .text = \"", texts[0], "\" ignores the latter"));
    }
  }
  check_column(first, columns.text, location);
  if (!columns.pair.empty()) check_column(first, columns.pair, location);
  return columns;
}

// A column of a row that was tokenized before: [tokens], as i32.
std::vector<int32_t> integers_of(const Example& element, const char* name,
                                 SourceLocation location) {
  const Literal& array = element[{name, location}];
  std::vector<int32_t> values;
  if (!is_integer(array.dtype()) || array.rank() != 1) {
    raise<InvalidArgument>(
        {.what = str("prepare_dataset: '", name, "' is ", array.dtype(), array.shape()),
         .wanted = "integers [tokens]",
         .hint = is_float(array.dtype()) ? "a null among integers of a file makes them floats" : "",
         .location = location});
  }
  for (int64_t i = 0; i < array.size(); ++i) {
    const int64_t value = array.integer_at(i);
    if (value < INT32_MIN || value > INT32_MAX) {
      raise<InvalidArgument>({.what = str("prepare_dataset: '", name, "' holds ", value),
                              .wanted = "integers that i32 holds",
                              .location = location});
    }
    values.push_back(static_cast<int32_t>(value));
  }
  return values;
}

// For a dataset without labels: the columns that may be meant as labels.
void say_what_is_left_out(const Example& first, const TextColumns& columns) {
  std::vector<std::string> names;
  for (const Example::Component& component : first) {
    const bool of_tokens = component.name == "input_ids" || component.name == "token_type_ids" ||
                           component.name == "attention_mask";
    if (!of_tokens && component.name != columns.text && component.name != columns.pair)
      names.push_back(component.name);
  }
  if (names.empty()) return;
  log_info(str("prepare_dataset: no labels; the dataset's ", join(names), " ",
               names.size() == 1 ? "is" : "are", " ignored. Labels are named by .label = \"",
               names.front(), "\"."));
}

void say_answers_outside(const RowLabels& labels,
                         const std::function<int64_t(int64_t row)>& tokens) {
  const auto [given, outside] = labels.answers(tokens);
  if (outside == 0) return;
  log_warning(str("prepare_dataset: ", outside, " of ", given, given == 1 ? " answer" : " answers",
                  " after the tokens of the text, where none counts: cut off, or told by letters "
                  "where tokens are wanted"));
}

}  // namespace

TokenizedRows::TokenizedRows(const data::Dataset& dataset, const Tokenizer& tokenizer,
                             const PrepareOptions& options, SourceLocation location)
    : padding_(tokenizer.padding(location)),
      ids_(options.scratch_folder, location),
      type_ids_(options.scratch_folder, location) {
  if (dataset.cardinality() == data::infinite_cardinality) {
    raise<InvalidArgument>({.what = "prepare_dataset of a dataset without end",
                            .hint = "leave repeat() out: fit's epochs repeat what this gives",
                            .location = location});
  }
  read(dataset, tokenizer, options, location);
  if (size() == 0)
    raise<InvalidArgument>({.what = "prepare_dataset of an empty dataset", .location = location});
  ids_.finish();
  type_ids_.finish();
  labels_->finish();
  say_answers_outside(*labels_, [this](int64_t row) { return length(row); });
}

void TokenizedRows::read(const data::Dataset& dataset, const Tokenizer& tokenizer,
                         const PrepareOptions& options, SourceLocation location) {
  std::optional<TextColumns> columns;
  std::vector<std::string> texts, pairs;
  const auto tokenize = [&] {
    if (texts.empty()) return;
    BatchEncoding batch =
        tokenizer(texts, pairs, {.truncation = true, .max_length = options.max_length}, location);
    const auto& names = batch.input_names;
    has_types_ = std::find(names.begin(), names.end(), "token_type_ids") != names.end();
    for (Encoding& encoding : batch.encodings) {
      if (!has_types_) encoding.set_type_ids(0);
      add_row(encoding.ids, encoding.type_ids);
    }
    texts.clear(), pairs.clear();
  };
  for (const Example& element : dataset) {
    if (!columns) columns = columns_of(element, options, location);
    if (!labels_) {
      if (options.mlm_probability > 0) {
        labels_.emplace();
        if (element.contains("sample_weight"))
          log_warning("prepare_dataset with mlm_probability leaves sample_weight out");
      } else {
        labels_.emplace(element, options.label, options.scratch_folder, location);
        if (labels_->empty()) say_what_is_left_out(element, *columns);
      }
    }
    if (columns->tokenized) {
      const TokenPlaces places = add_tokens(element, location);
      labels_->add(element, &places);
      continue;
    }
    labels_->add(element, nullptr);
    cuts_ = true;
    texts.emplace_back(element[{columns->text, location}].string_at(0));
    if (!columns->pair.empty()) pairs.emplace_back(element[{columns->pair, location}].string_at(0));
    if (texts.size() == texts_at_once) tokenize();
  }
  tokenize();
}

// What the attention mask leaves out is padding already, which batches do not need.
TokenPlaces TokenizedRows::add_tokens(const Example& element, SourceLocation location) {
  const std::vector<int32_t> ids = integers_of(element, "input_ids", location);
  std::vector<int32_t> types(ids.size(), 0), mask(ids.size(), 1);
  has_types_ = element.contains("token_type_ids");
  if (has_types_) types = integers_of(element, "token_type_ids", location);
  if (element.contains("attention_mask")) mask = integers_of(element, "attention_mask", location);
  if (types.size() != ids.size() || mask.size() != ids.size()) {
    raise<InvalidArgument>({.what = str("prepare_dataset: ", to_string(element)),
                            .wanted = "columns of one length",
                            .location = location});
  }
  TokenPlaces places{.given = static_cast<int64_t>(ids.size()), .kept = {}};
  std::vector<int32_t> kept_ids, kept_types;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (mask[i] == 0) continue;
    places.kept.push_back(static_cast<int64_t>(i));
    kept_ids.push_back(ids[i]);
    kept_types.push_back(types[i]);
  }
  add_row(kept_ids, kept_types);
  return places;
}

void TokenizedRows::add_row(std::span<const int32_t> ids, std::span<const int32_t> type_ids) {
  const bool has_others =
      std::any_of(type_ids.begin(), type_ids.end(), [](int32_t type) { return type != 0; });
  if (has_others && type_ids_.rows() == 0) {
    for (int64_t row = 0; row < size(); ++row)
      type_ids_.add(std::vector<int32_t>(static_cast<size_t>(length(row)), 0));
  }
  if (has_others || type_ids_.rows() > 0) type_ids_.add(type_ids);
  ids_.add(ids);
}

std::vector<int64_t> TokenizedRows::lengths() const {
  std::vector<int64_t> lengths;
  for (int64_t row = 0; row < size(); ++row) lengths.push_back(length(row));
  return lengths;
}

Literal TokenizedRows::padded(std::span<const int64_t> rows, int64_t length, const RowStore& values,
                              int32_t padding) const {
  Literal array(DType::i32, Shape{static_cast<int64_t>(rows.size()), length});
  int32_t* to = array.mutable_data<int32_t>().data();
  std::fill_n(to, array.size(), padding);
  for (const int64_t row : rows) {
    const int64_t size = this->length(row);
    int32_t* first = padding_.left ? to + (length - size) : to;
    if (values.rows() == 0) {
      std::fill_n(first, size, 0);
    } else {
      std::ranges::copy(values.row(row), first);
    }
    to += length;
  }
  return array;
}

Literal TokenizedRows::mask(std::span<const int64_t> rows, int64_t length) const {
  Literal array = Literal::zeros(DType::i32, Shape{static_cast<int64_t>(rows.size()), length});
  int32_t* to = array.mutable_data<int32_t>().data();
  for (const int64_t row : rows) {
    const int64_t size = this->length(row);
    std::fill_n(padding_.left ? to + (length - size) : to, size, 1);
    to += length;
  }
  return array;
}

Example TokenizedRows::batch(std::span<const int64_t> rows, int64_t length,
                             const std::vector<std::string>& input_names) const {
  Example batch;
  for (const std::string& name : input_names) {
    if (name == "input_ids") {
      batch.set(name, padded(rows, length, ids_, padding_.id));
    } else if (name == "token_type_ids") {
      batch.set(name, padded(rows, length, type_ids_, padding_.type_id));
    } else {
      batch.set(name, mask(rows, length));
    }
  }
  labels_->put(batch, rows,
               {.length = length, .pads_in_front = padding_.left, .tokens = [this](int64_t row) {
                  return this->length(row);
                }});
  return batch;
}

}  // namespace systolic::inline v0
