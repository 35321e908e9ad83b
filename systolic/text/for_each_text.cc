#include "systolic/text/for_each_text.h"

#include <optional>

#include "systolic/base/error.h"
#include "systolic/base/progress.h"
#include "systolic/base/threads/thread_pool.h"
#include "systolic/text/called_at.h"
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

void check_pairs(size_t texts, size_t pairs, SourceLocation location) {
  if (texts == pairs) return;
  raise<InvalidArgument>({.what = str(texts, " texts and ", pairs, " pairs"),
                          .wanted = "as many of each",
                          .location = location});
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

}  // namespace

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
  text::check_pairs(texts.size(), pairs.size(), location);
  return text::called_at(location, [&] {
    std::vector<Encoding> encodings(texts.size());
    const State::Call call = call_of(*state_, options);
    text::for_each_text(texts.size(), options.show_progress,
                        [&](size_t i) { encodings[i] = state_->encode(texts[i], pairs[i], call); });
    if (state_->padding) state_->pad(encodings, *state_->padding);
    return encodings;
  });
}

}  // namespace systolic::inline v0
