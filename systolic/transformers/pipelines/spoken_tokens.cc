#include "systolic/transformers/pipelines/spoken_tokens.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "systolic/transformers/pipelines/merged_stretches.h"
#include "systolic/transformers/pipelines/speech_recognition.h"
#include "systolic/transformers/pipelines/spoken_words.h"

namespace systolic::inline v0 {
namespace {

constexpr double seconds_of_token = 0.02, seconds_of_part = 30;

// To hundredths, as Python's round() does: by the number's decimal digits.
double rounded(double seconds) {
  char digits[400];
  const auto end =
      std::to_chars(digits, std::end(digits), seconds, std::chars_format::fixed, 2).ptr;
  std::from_chars(digits, end, seconds);
  return seconds;
}

// Reads stretches one by one. Times of a sound of several parts begin anew with each.
class SpokenTokens {
 public:
  SpokenTokens(const Tokenizer& tokenizer, bool by_words)
      : tokenizer_(tokenizer), by_words_(by_words), special_(tokenizer.all_special_ids()) {
    const std::optional<int32_t> none = tokenizer.token_to_id("<|notimestamps|>");
    first_time_ = none ? *none + 1 : tokenizer.vocab_size();
  }

  void read(const HeardStretch& stretch) {
    latest_ = before_latest_ = parts_before_ = 0;
    first_counted_ = static_cast<double>(first_time_);
    last_counted_.reset();
    if (stretch.stride) settle_ends(stretch);
    now_ = {};
    for (size_t i = 0; i < stretch.tokens.size(); ++i) {
      const int32_t token = stretch.tokens[i];
      if (std::binary_search(special_.begin(), special_.end(), token)) continue;
      if (token < first_time_) {
        read_word(stretch, i);
      } else {
        read_time(stretch.tokens, i);
      }
    }
    if (stretch.stride) before_ += stretch.stride->length - stretch.stride->right;
    keep_rest();
  }

  SpokenText text() && {
    if (!open_.empty()) end_chunk();
    SpokenText result;
    result.text = std::move(text_);
    result.chunks = std::move(chunks_);
    return result;
  }

 private:
  double time_of(int32_t id) const {
    return static_cast<double>(id - first_time_) * seconds_of_token;
  }

  // Times within what other stretches have too do not end a chunk.
  void settle_ends(const HeardStretch& stretch) {
    const SoundStride& stride = *stretch.stride;
    before_ -= stride.left;
    if (stride.left > 0)
      first_counted_ = stride.left / seconds_of_token + static_cast<double>(first_time_);
    if (stride.right <= 0) return;
    const double end = stride.length - stride.right;
    for (size_t i = stretch.tokens.size(); i-- > 0;) {
      const int32_t token = stretch.tokens[i];
      if (token < first_time_) continue;
      if (last_counted_ && time_of(token) < end) break;
      last_counted_ = token;
    }
  }

  void read_word(const HeardStretch& stretch, size_t i) {
    now_.ids.push_back(stretch.tokens[i]);
    if (!by_words_) return;
    const auto time = [&](size_t at) { return at < stretch.times.size() ? stretch.times[at] : 0; };
    const double begin = i == 0 ? 0 : time(i - 1);
    now_.times.emplace_back(rounded(begin + before_), rounded(time(i) + before_));
  }

  void read_time(const std::vector<int32_t>& ids, size_t i) {
    const double time = time_of(ids[i]);
    if (time < latest_) {
      const bool after_pair = i < 2 || (ids[i - 1] >= first_time_ && ids[i - 2] >= first_time_);
      if (after_pair) latest_ = before_latest_;
      parts_before_ += after_pair ? before_latest_ : seconds_of_part;
    }
    before_latest_ = std::exchange(latest_, time);
    const double second = rounded(time + before_ + parts_before_);
    if (last_counted_ && ids[i] >= *last_counted_) {
      skips_ = true;  // and the one after it: times come in pairs
    } else if (skips_ || (!open_.empty() && static_cast<double>(ids[i]) < first_counted_)) {
      skips_ = false;
    } else if (!chunk_.begin) {
      chunk_.begin = second;
    } else if (second != *chunk_.begin) {
      chunk_.end = second;
      open_.push_back(std::exchange(now_, {}));
      end_chunk();
    }
  }

  void keep_rest() {
    if (!now_.ids.empty()) {
      open_.push_back(std::exchange(now_, {}));
    } else if (std::ranges::all_of(open_, [](const TimedTokens& one) { return one.ids.empty(); })) {
      chunk_ = {};
      open_.clear();
    }
  }

  void end_chunk() {
    const TimedTokens tokens = merged_stretches(std::exchange(open_, {}));
    chunk_.text = tokenizer_.decode(tokens.ids, false);
    text_ += chunk_.text;
    SpokenChunk chunk = std::exchange(chunk_, {});
    if (!by_words_) return chunks_.push_back(std::move(chunk));
    for (SpokenWord& word : spoken_words(tokenizer_, tokens.ids)) {
      chunks_.push_back({.begin = tokens.times[word.first].first,
                         .end = tokens.times[word.last].second,
                         .text = std::move(word.text)});
    }
  }

  const Tokenizer& tokenizer_;
  const bool by_words_;
  const std::vector<int32_t> special_;
  int64_t first_time_ = 0;
  double before_ = 0;  // seconds before the stretch
  double latest_ = 0, before_latest_ = 0, parts_before_ = 0;
  double first_counted_ = 0;                  // the token of a time
  std::optional<int32_t> last_counted_ = {};  // likewise
  bool skips_ = false;
  SpokenChunk chunk_;
  TimedTokens now_;                // of this stretch, since the last chunk
  std::vector<TimedTokens> open_;  // of those before it
  std::string text_;
  std::vector<SpokenChunk> chunks_;
};

}  // namespace

SpokenText spoken_text(const Tokenizer& tokenizer, const std::vector<HeardStretch>& stretches,
                       bool by_words) {
  SpokenTokens tokens(tokenizer, by_words);
  for (const HeardStretch& one : stretches) tokens.read(one);
  return std::move(tokens).text();
}

}  // namespace systolic::inline v0
