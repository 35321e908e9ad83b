// What a tokenizer's call makes of texts: arrays for a model.
#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/text/called_at.h"
#include "systolic/text/for_each_text.h"
#include "systolic/text/pieces/limits.h"
#include "systolic/text/tokenizer_state.h"

namespace systolic::inline v0 {
namespace {

void check_options(const TokenizeOptions& options) {
  const int64_t most = text::most_tokens;
  for (const auto& [name, value] : {std::pair("max_length", options.max_length),
                                    std::pair("pad_to_multiple_of", options.pad_to_multiple_of),
                                    std::pair("stride", options.stride)}) {
    if (value >= 0 && value <= most) continue;
    raise<InvalidArgument>(
        {.what = str(name, " = ", value), .wanted = str("tokens, from 0 to ", most)});
  }
}

std::vector<std::string> strings_of(const Literal& texts, SourceLocation location) {
  if (texts.dtype() != DType::string) {
    raise<InvalidArgument>({.what = str("a tokenizer called on ", texts.dtype(), texts.shape()),
                            .wanted = "strings",
                            .location = location});
  }
  std::vector<std::string> strings;
  for (int64_t i = 0; i < texts.size(); ++i) strings.emplace_back(texts.string_at(i));
  return strings;
}

// How the rows of a batch are padded.
struct RowForm {
  size_t length = 0;
  bool left = false;

  // Where a row begins.
  size_t start(const Encoding& row) const { return left ? length - row.size() : 0; }
  Shape shape(size_t rows) const {
    return {static_cast<int64_t>(rows), static_cast<int64_t>(length)};
  }
};

Literal rows_of(const std::vector<Encoding>& encodings, const RowForm& form, int32_t padding,
                const std::vector<int32_t> Encoding::*member) {
  Literal rows = Literal::filled(DType::i32, form.shape(encodings.size()), padding);
  int32_t* to = rows.mutable_data<int32_t>().data();
  for (const Encoding& encoding : encodings) {
    std::copy((encoding.*member).begin(), (encoding.*member).end(), to + form.start(encoding));
    to += form.length;
  }
  return rows;
}

// [rows, length, 2]
Literal offsets_of(const std::vector<Encoding>& encodings, const RowForm& form) {
  const Shape rows = form.shape(encodings.size());
  Literal offsets = Literal::zeros(DType::i32, rows.with_inserted(2, 2));
  int32_t* to = offsets.mutable_data<int32_t>().data();
  for (const Encoding& encoding : encodings) {
    int32_t* next = to + 2 * form.start(encoding);
    for (const Offsets& token : encoding.offsets) {
      *next++ = static_cast<int32_t>(token.begin);
      *next++ = static_cast<int32_t>(token.end);
    }
    to += 2 * form.length;
  }
  return offsets;
}

// Adds rows for the parts that were cut off, after the first row of their text. Returns each row's
// text.
std::vector<int32_t> make_rows_of_parts(std::vector<Encoding>& encodings) {
  std::vector<Encoding> rows;
  std::vector<int32_t> texts;
  for (size_t i = 0; i < encodings.size(); ++i) {
    std::vector<Encoding> parts = std::exchange(encodings[i].overflowing, {});
    rows.push_back(std::move(encodings[i]));
    for (Encoding& part : parts) rows.push_back(std::move(part));
    texts.resize(rows.size(), static_cast<int32_t>(i));
  }
  encodings = std::move(rows);
  return texts;
}

// One call: how it cuts and pads.
class Call {
 public:
  Call(const Tokenizer& tokenizer, const Tokenizer::State& state, const TokenizeOptions& options,
       SourceLocation location)
      : tokenizer_(tokenizer), state_(state), options_(options), location_(location) {
    check_options(options);
    most_ = options.max_length > 0 ? options.max_length : state.model_max_length;
    const TruncationChoice how = options.how_to_cut();
    truncation_ = {most_, options.stride, how, state.cuts_from_left};
    const bool cut = how.kind() != TruncationChoice::do_not_truncate && most_ > 0;
    pads_to_most_ = options.padding.kind() == PaddingChoice::max_length;
    if (pads_to_most_ && (most_ <= 0 || most_ > text::most_tokens)) {
      raise<InvalidArgument>({.what = most_ <= 0 ? "padding to max_length, which is not known"
                                                 : str("padding to the model's ", most_, " tokens"),
                              .hint = "pass .max_length = 128"});
    }
    call_ = {options.add_special_tokens, options.return_offsets_mapping,
             cut ? &truncation_ : nullptr, options.return_overflowing_tokens};
    if (cut) state.check_stride(call_);
  }
  Call(const Call&) = delete;  // call_ points into this one

  BatchEncoding make(size_t texts,
                     FunctionRef<Encoding(size_t i, const Tokenizer::State::Call&)> encode) const {
    BatchEncoding batch;
    batch.input_names = state_.input_names;
    batch.encodings.resize(texts);
    text::for_each_text(texts, options_.show_progress,
                        [&](size_t i) { batch.encodings[i] = encode(i, call_); });
    std::vector<int32_t> text_of_row;
    if (options_.return_overflowing_tokens) text_of_row = make_rows_of_parts(batch.encodings);
    fill(batch);
    if (options_.return_overflowing_tokens) {
      const Shape rows{static_cast<int64_t>(text_of_row.size())};
      batch.others.set("overflow_to_sample_mapping", Literal::from(text_of_row, rows));
    }
    return batch;
  }

 private:
  size_t length_of(const std::vector<Encoding>& rows) const {
    size_t length = pads_to_most_ ? static_cast<size_t>(most_) : 0;
    for (const Encoding& row : rows) length = std::max(length, row.size());
    if (options_.pad_to_multiple_of == 0) return length;
    const auto multiple = static_cast<size_t>(options_.pad_to_multiple_of);
    return (length + multiple - 1) / multiple * multiple;
  }

  // The arrays, by the rows' encodings.
  void fill(BatchEncoding& batch) const {
    const std::vector<Encoding>& rows = batch.encodings;
    RowForm form{length_of(rows)};
    const bool pads = std::any_of(rows.begin(), rows.end(),
                                  [&](const Encoding& row) { return row.size() < form.length; });
    const PaddingParameters padding = pads ? tokenizer_.padding(location_) : PaddingParameters{};
    form.left = padding.left;
    batch.input_ids = rows_of(rows, form, padding.id, &Encoding::ids);
    batch.token_type_ids = rows_of(rows, form, padding.type_id, &Encoding::type_ids);
    batch.attention_mask = rows_of(rows, form, 0, &Encoding::attention_mask);
    if (options_.return_offsets_mapping) batch.others.set("offset_mapping", offsets_of(rows, form));
    if (options_.return_special_tokens_mask) {
      batch.others.set("special_tokens_mask",
                       rows_of(rows, form, 1, &Encoding::special_tokens_mask));
    }
  }

  const Tokenizer& tokenizer_;
  const Tokenizer::State& state_;
  const TokenizeOptions& options_;
  SourceLocation location_;
  int64_t most_ = 0;
  bool pads_to_most_ = false;
  TruncationParameters truncation_;
  Tokenizer::State::Call call_;
};

// [rows, length, ...] as [..., length, ...], where there is a row for each text.
BatchEncoding shaped(BatchEncoding batch, const Shape& texts, const TokenizeOptions& options) {
  if (options.return_overflowing_tokens) return batch;
  const auto shape = [&](Literal& array) {
    std::vector<int64_t> sizes = texts.to_vector();
    for (int axis = 1; axis < array.rank(); ++axis) sizes.push_back(array.shape()[axis]);
    array = array.reshape(Shape(sizes));
  };
  for (Literal* array : {&batch.input_ids, &batch.token_type_ids, &batch.attention_mask})
    shape(*array);
  Example others;
  for (size_t i = 0; i < batch.others.size(); ++i) {
    Literal array = batch.others.value(i);
    shape(array);
    others.set(batch.others.name(i), std::move(array));
  }
  batch.others = std::move(others);
  return batch;
}

}  // namespace

Example BatchEncoding::arrays() const {
  Example named;
  const auto put = [&](const char* name, const Literal& array) {
    const auto at = std::find(input_names.begin(), input_names.end(), name);
    if (at != input_names.end()) named.set(name, array);
  };
  put("input_ids", input_ids);
  put("token_type_ids", token_type_ids);
  put("attention_mask", attention_mask);
  return named;
}

Literal BatchEncoding::operator[](NameAt asked) const {
  Example named = arrays();
  for (size_t i = 0; i < others.size(); ++i) named.set(others.name(i), others.value(i));
  if (const Literal* array = named.find(asked.name)) return *array;
  const bool by_option = asked.name == "offset_mapping" || asked.name == "special_tokens_mask" ||
                         asked.name == "overflow_to_sample_mapping";
  raise<NotFound>({.what = str("the tokenizer makes no '", asked.name, "'"),
                   .wanted = str("one of ", join(named.names())),
                   .hint = by_option ? "ask for it: .return_offsets_mapping, "
                                       ".return_special_tokens_mask, .return_overflowing_tokens"
                                     : "",
                   .location = asked.location});
}

BatchEncoding Tokenizer::operator()(std::span<const std::string> texts,
                                    const TokenizeOptions& options, SourceLocation location) const {
  return (*this)(texts, {}, options, location);
}

BatchEncoding Tokenizer::operator()(const Literal& texts, const TokenizeOptions& options,
                                    SourceLocation location) const {
  return shaped((*this)(strings_of(texts, location), options, location), texts.shape(), options);
}

BatchEncoding Tokenizer::operator()(const Literal& texts, const Literal& pairs,
                                    const TokenizeOptions& options, SourceLocation location) const {
  const std::vector<std::string> firsts = strings_of(texts, location);
  return shaped((*this)(firsts, strings_of(pairs, location), options, location), texts.shape(),
                options);
}

BatchEncoding Tokenizer::operator()(std::span<const std::string> texts,
                                    std::span<const std::string> pairs,
                                    const TokenizeOptions& options, SourceLocation location) const {
  if (!pairs.empty()) text::check_pairs(texts.size(), pairs.size(), location);
  const ErrorScope scope("Tokenizer", location);
  return Call(*this, *state_, options, location)
      .make(texts.size(), [&](size_t i, const State::Call& call) {
        return pairs.empty() ? state_->encode(texts[i], call)
                             : state_->encode(texts[i], pairs[i], call);
      });
}

BatchEncoding Tokenizer::operator()(std::span<const std::vector<std::string>> texts_of_words,
                                    const TokenizeOptions& options, SourceLocation location) const {
  const ErrorScope scope("Tokenizer", location);
  return Call(*this, *state_, options, location)
      .make(texts_of_words.size(), [&](size_t i, State::Call call) {
        call.offsets = true;  // and words with them
        return state_->encode_words(texts_of_words[i], call);
      });
}

}  // namespace systolic::inline v0
