// What was said, out of the tokens that a Whisper wrote about one stretch of sound after the other.
// Internal to transformers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systolic/text/tokenizer.h"

namespace systolic::inline v0 {

struct SpokenText;

// The length of a stretch of sound, and how much of it at its left and right end others have too;
// seconds.
struct SoundStride {
  double length = 0, left = 0, right = 0;
};

// A stretch of sound that was heard by itself.
struct HeardStretch {
  std::vector<int32_t> tokens;
  std::vector<double> times = {};  // when each was said, in seconds from its beginning; for words
  std::optional<SoundStride> stride = {};
};

// `by_words`: a chunk for each word; else for each two times that the tokens tell. What two
// stretches have in common is said once. As transformers' _decode_asr.
SpokenText spoken_text(const Tokenizer& tokenizer, const std::vector<HeardStretch>& stretches,
                       bool by_words);

}  // namespace systolic::inline v0
