#include "systolic/models/tokenized_rows.h"

#include <algorithm>
#include <cstring>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace {

// Texts that are tokenized at a time: enough for all threads, little to hold.
constexpr size_t texts_at_once = 8192;

struct TextColumns {
  std::string text, pair;
  bool tokenized = false;  // before: the dataset has input_ids
};

void want_column(const Example& element, const std::string& name, SourceLocation location) {
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
      if (component.value.dtype() == DType::string) texts.push_back(component.name);
    }
    if (texts.empty() || texts.size() > 2) {
      raise<InvalidArgument>(
          {.what = str("prepare_dataset: the dataset has ", texts.size(), " columns of texts"),
           .got = to_string(first),
           .wanted = "one, a text and its pair, or \"input_ids\"",
           .hint = "name them: {.text = \"sentence\"}",
           .location = location});
    }
    columns.text = texts[0];
    if (texts.size() == 2 && columns.pair.empty()) columns.pair = texts[1];
  }
  want_column(first, columns.text, location);
  if (!columns.pair.empty()) want_column(first, columns.pair, location);
  return columns;
}

std::vector<int32_t> integers_of(const Literal& array) {
  const Literal narrow = array.convert(DType::i32);
  const auto values = narrow.data<int32_t>();
  return {values.begin(), values.end()};
}

}  // namespace

TokenizedRows::TokenizedRows(const data::Dataset& dataset, const Tokenizer& tokenizer,
                             const PrepareOptions& options, SourceLocation location)
    : padding_(tokenizer.padding()) {
  if (dataset.cardinality() == data::infinite_cardinality) {
    raise<InvalidArgument>({.what = "prepare_dataset of a dataset without end",
                            .hint = "leave repeat() out: fit's epochs repeat what this gives",
                            .location = location});
  }
  read(dataset, tokenizer, options, location);
  if (ids_.empty())
    raise<InvalidArgument>({.what = "prepare_dataset of an empty dataset", .location = location});
}

void TokenizedRows::read(const data::Dataset& dataset, const Tokenizer& tokenizer,
                         const PrepareOptions& options, SourceLocation location) {
  std::optional<TextColumns> columns;
  std::vector<std::string> texts, pairs;
  const auto tokenize = [&] {
    if (texts.empty()) return;
    BatchEncoding batch =
        tokenizer(texts, pairs, {.truncation = true, .max_length = options.max_length}, location);
    for (Encoding& encoding : batch.encodings) {
      ids_.push_back(std::move(encoding.ids));
      type_ids_.push_back(std::move(encoding.type_ids));
    }
    texts.clear(), pairs.clear();
  };
  for (const Example& element : dataset) {
    if (!columns) columns = columns_of(element, options, location);
    add_label(element, options.label, location);
    if (columns->tokenized) {
      add_tokens(element);
      continue;
    }
    texts.emplace_back(element[columns->text].string_at(0));
    if (!columns->pair.empty()) pairs.emplace_back(element[columns->pair].string_at(0));
    if (texts.size() == texts_at_once) tokenize();
  }
  tokenize();
}

// What the attention mask leaves out is padding already, which batches do not need.
void TokenizedRows::add_tokens(const Example& element) {
  std::vector<int32_t> ids = integers_of(element["input_ids"]);
  std::vector<int32_t> types(ids.size(), 0);
  if (const Literal* given = element.find("token_type_ids")) types = integers_of(*given);
  std::vector<int32_t> mask(ids.size(), 1);
  if (const Literal* given = element.find("attention_mask")) mask = integers_of(*given);
  if (types.size() != ids.size() || mask.size() != ids.size()) {
    raise<InvalidArgument>(
        {.what = str("prepare_dataset: ", to_string(element)), .wanted = "columns of one length"});
  }
  size_t kept = 0;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (mask[i] == 0) continue;
    ids[kept] = ids[i];
    types[kept++] = types[i];
  }
  ids.resize(kept), types.resize(kept);
  ids_.push_back(std::move(ids));
  type_ids_.push_back(std::move(types));
}

void TokenizedRows::add_label(const Example& element, const std::string& name,
                              SourceLocation location) {
  const Literal* label = element.find(name);
  if (label == nullptr) return;
  const DType dtype = label->dtype();
  if (dtype == DType::string) {
    raise<InvalidArgument>({.what = str("prepare_dataset: label '", name, "' is a text"),
                            .wanted = "numbers",
                            .hint = "number the classes in a map() before",
                            .location = location});
  }
  label_name_ = name;
  const bool whole = is_integer(dtype) || dtype == DType::pred;
  labels_.push_back(label->convert(whole ? DType::i32 : DType::f32));
  if (labels_.back().shape() == labels_.front().shape()) return;
  raise<InvalidArgument>({.what = str("prepare_dataset: label '", name, "' of sample ",
                                      labels_.size() - 1, " has shape ", labels_.back().shape()),
                          .wanted = str("that of the first, ", labels_.front().shape()),
                          .location = location});
}

std::vector<int64_t> TokenizedRows::lengths() const {
  std::vector<int64_t> lengths;
  for (const auto& ids : ids_) lengths.push_back(static_cast<int64_t>(ids.size()));
  return lengths;
}

Literal TokenizedRows::padded(std::span<const int64_t> rows, int64_t length,
                              const std::vector<std::vector<int32_t>>& values,
                              int32_t padding) const {
  Literal array(DType::i32, Shape{static_cast<int64_t>(rows.size()), length});
  int32_t* to = array.mutable_data<int32_t>().data();
  std::fill_n(to, array.size(), padding);
  for (const int64_t row : rows) {
    const auto& from = values[static_cast<size_t>(row)];
    const auto size = static_cast<int64_t>(from.size());
    std::copy(from.begin(), from.end(), padding_.left ? to + (length - size) : to);
    to += length;
  }
  return array;
}

Literal TokenizedRows::mask(std::span<const int64_t> rows, int64_t length) const {
  Literal array = Literal::zeros(DType::i32, Shape{static_cast<int64_t>(rows.size()), length});
  int32_t* to = array.mutable_data<int32_t>().data();
  for (const int64_t row : rows) {
    const auto size = static_cast<int64_t>(ids_[static_cast<size_t>(row)].size());
    std::fill_n(padding_.left ? to + (length - size) : to, size, 1);
    to += length;
  }
  return array;
}

Literal TokenizedRows::labels_of(std::span<const int64_t> rows) const {
  const Literal& first = labels_.front();
  Literal array(first.dtype(), first.shape().with_inserted(0, static_cast<int64_t>(rows.size())));
  auto* to = static_cast<std::byte*>(array.mutable_raw());
  for (const int64_t row : rows) {
    std::memcpy(to, labels_[static_cast<size_t>(row)].raw(), first.byte_size());
    to += first.byte_size();
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
  if (!labels_.empty()) batch.set(label_name_, labels_of(rows));
  return batch;
}

}  // namespace systolic::inline v0
