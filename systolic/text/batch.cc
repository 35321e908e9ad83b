#include "systolic/text/batch.h"

#include <algorithm>
#include <optional>

#include "systolic/base/error.h"
#include "systolic/base/progress.h"
#include "systolic/base/thread_pool.h"
#include "systolic/text/called_at.h"
#include "systolic/text/limits.h"
#include "systolic/text/tokenizer_state.h"

namespace systolic::inline v0 {
namespace text {

void for_each_text(size_t count, bool show_progress, FunctionRef<void(size_t)> body) {
  std::optional<Progress> progress;
  if (show_progress) progress.emplace("tokenizing", static_cast<int64_t>(count));
  const std::string_view scope = ErrorScope::current();
  const SourceLocation line = ErrorScope::current_location();
  ThreadPool::compute().parallel_for(static_cast<int64_t>(count), 64,
                                     [&](int64_t begin, int64_t end) {
                                       const ErrorScope here(scope, line);
                                       for (int64_t i = begin; i < end; ++i)
                                         body(static_cast<size_t>(i));
                                       if (progress) progress->add(end - begin);
                                     });
}

}  // namespace text

namespace {

Tokenizer::State::Call call_of(const Tokenizer::State& state, const EncodeOptions& options) {
  return {options.add_special_tokens, options.offsets,
          state.truncation ? &*state.truncation : nullptr, true};
}

Encoding padded(const Tokenizer::State& state, Encoding encoding) {
  if (state.padding) state.pad({&encoding, 1}, *state.padding);
  return encoding;
}

void check_pairs(size_t texts, size_t pairs, SourceLocation location) {
  if (texts == pairs) return;
  raise<InvalidArgument>({.what = str(texts, " texts and ", pairs, " pairs"),
                          .wanted = "as many of each",
                          .location = location});
}

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

// Rows of one length, padded as PaddingParameters say.
Literal rows_of(const std::vector<Encoding>& encodings, size_t length, bool left, int32_t padding,
                const std::vector<int32_t> Encoding::*member) {
  Literal rows(DType::i32,
               Shape{static_cast<int64_t>(encodings.size()), static_cast<int64_t>(length)});
  int32_t* to = rows.mutable_data<int32_t>().data();
  for (const Encoding& encoding : encodings) {
    const std::vector<int32_t>& row = encoding.*member;
    const size_t more = length - row.size();
    if (left) std::fill_n(to, more, padding);
    std::copy(row.begin(), row.end(), to + (left ? more : 0));
    if (!left) std::fill_n(to + row.size(), more, padding);
    to += length;
  }
  return rows;
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

// [texts, length] as [..., length].
BatchEncoding shaped(BatchEncoding batch, const Shape& texts) {
  for (Literal* array : {&batch.input_ids, &batch.token_type_ids, &batch.attention_mask})
    *array = array->reshape(texts.with_inserted(texts.rank(), array->shape()[1]));
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
  const Example named = arrays();
  if (const Literal* array = named.find(asked.name)) return *array;
  raise<NotFound>({.what = str("the tokenizer makes no '", asked.name, "'"),
                   .wanted = str("one of ", join(named.names())),
                   .location = asked.location});
}

Encoding Tokenizer::encode(std::string_view text, const EncodeOptions& options,
                           SourceLocation location) const {
  return text::called_at(
      location, [&] { return padded(*state_, state_->encode(text, call_of(*state_, options))); });
}

Encoding Tokenizer::encode_pair(std::string_view text, std::string_view pair,
                                const EncodeOptions& options, SourceLocation location) const {
  return text::called_at(location, [&] {
    return padded(*state_, state_->encode(text, pair, call_of(*state_, options)));
  });
}

Encoding Tokenizer::encode_words(std::span<const std::string> words, const EncodeOptions& options,
                                 SourceLocation location) const {
  return text::called_at(location, [&] {
    return padded(*state_, state_->encode_words(words, call_of(*state_, options)));
  });
}

std::vector<Encoding> Tokenizer::encode_batch(std::span<const std::string> texts,
                                              const EncodeOptions& options,
                                              SourceLocation location) const {
  return text::called_at(location, [&] {
    std::vector<Encoding> encodings(texts.size());
    const State::Call call = call_of(*state_, options);
    text::for_each_text(texts.size(), options.show_progress,
                        [&](size_t i) { encodings[i] = state_->encode(texts[i], call); });
    if (state_->padding) state_->pad(encodings, *state_->padding);
    return encodings;
  });
}

std::vector<Encoding> Tokenizer::encode_batch(std::span<const std::string> texts,
                                              std::span<const std::string> pairs,
                                              const EncodeOptions& options,
                                              SourceLocation location) const {
  check_pairs(texts.size(), pairs.size(), location);
  return text::called_at(location, [&] {
    std::vector<Encoding> encodings(texts.size());
    const State::Call call = call_of(*state_, options);
    text::for_each_text(texts.size(), options.show_progress,
                        [&](size_t i) { encodings[i] = state_->encode(texts[i], pairs[i], call); });
    if (state_->padding) state_->pad(encodings, *state_->padding);
    return encodings;
  });
}

BatchEncoding Tokenizer::operator()(std::span<const std::string> texts,
                                    const TokenizeOptions& options, SourceLocation location) const {
  return (*this)(texts, {}, options, location);
}

BatchEncoding Tokenizer::operator()(const Literal& texts, const TokenizeOptions& options,
                                    SourceLocation location) const {
  return shaped((*this)(strings_of(texts, location), options, location), texts.shape());
}

BatchEncoding Tokenizer::operator()(const Literal& texts, const Literal& pairs,
                                    const TokenizeOptions& options, SourceLocation location) const {
  const std::vector<std::string> firsts = strings_of(texts, location);
  return shaped((*this)(firsts, strings_of(pairs, location), options, location), texts.shape());
}

BatchEncoding Tokenizer::operator()(std::span<const std::string> texts,
                                    std::span<const std::string> pairs,
                                    const TokenizeOptions& options, SourceLocation location) const {
  if (!pairs.empty()) check_pairs(texts.size(), pairs.size(), location);
  const ErrorScope scope("Tokenizer", location);
  check_options(options);
  int64_t most = options.max_length > 0 ? options.max_length : state_->model_max_length;
  const TruncationChoice how = options.how_to_cut();
  const bool cut = how.kind() != TruncationChoice::do_not_truncate && most > 0;
  const bool pad_to_most = options.padding.kind() == PaddingChoice::max_length;
  if (pad_to_most && (most <= 0 || most > text::most_tokens)) {
    raise<InvalidArgument>({.what = most <= 0 ? "padding to max_length, which is not known"
                                              : str("padding to the model's ", most, " tokens"),
                            .hint = "pass .max_length = 128"});
  }
  const TruncationParameters truncation{most, options.stride, how, state_->cuts_from_left};
  const State::Call call{options.add_special_tokens, false, cut ? &truncation : nullptr, false};
  if (cut) state_->check_stride(call);
  BatchEncoding batch;
  batch.input_names = state_->input_names;
  batch.encodings.resize(texts.size());
  text::for_each_text(texts.size(), options.show_progress, [&](size_t i) {
    batch.encodings[i] =
        pairs.empty() ? state_->encode(texts[i], call) : state_->encode(texts[i], pairs[i], call);
  });
  size_t length = pad_to_most ? static_cast<size_t>(most) : 0;
  for (const Encoding& encoding : batch.encodings) length = std::max(length, encoding.size());
  if (options.pad_to_multiple_of > 0) {
    const auto multiple = static_cast<size_t>(options.pad_to_multiple_of);
    length = (length + multiple - 1) / multiple * multiple;
  }
  const bool pads = std::any_of(batch.encodings.begin(), batch.encodings.end(),
                                [&](const Encoding& one) { return one.size() < length; });
  const PaddingParameters padding = pads ? this->padding(location) : PaddingParameters{};
  const auto rows = [&](int32_t value, const std::vector<int32_t> Encoding::*member) {
    return rows_of(batch.encodings, length, padding.left, value, member);
  };
  batch.input_ids = rows(padding.id, &Encoding::ids);
  batch.token_type_ids = rows(padding.type_id, &Encoding::type_ids);
  batch.attention_mask = rows(0, &Encoding::attention_mask);
  return batch;
}

}  // namespace systolic::inline v0
