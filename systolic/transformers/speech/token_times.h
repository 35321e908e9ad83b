// When each token about a sound was said, by where the decoder looked while it wrote: dynamic time
// warping of its attention to the sound (transformers' return_token_timestamps, after Radford et
// al. 2022, whose program has it; Giorgino 2009, section 2). Internal to transformers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace systolic::inline v0 {

// The probabilities of some heads: value(head, token, moment) of `tokens` tokens that were read.
struct TokenAttention {
  std::span<const float> values;  // [heads, stride_of_tokens, stride_of_moments]
  int64_t heads = 0, first_token = 0, tokens = 0, moments = 0;
  int64_t stride_of_tokens = 0, stride_of_moments = 0;

  float value(int64_t head, int64_t token, int64_t moment) const {
    const int64_t row = head * stride_of_tokens + first_token + token;
    return values[static_cast<size_t>(row * stride_of_moments + moment)];
  }
};

// The first moment of each token, in seconds from the beginning; moments are 0.02 s apart. Where
// there are no moments it is the one before the first, -0.02, as in transformers. Each
// head's values are normalized over the tokens and smoothed over the moments by the median of
// `median_width`, an odd number.
std::vector<float> token_times(const TokenAttention& attention, int64_t median_width);

}  // namespace systolic::inline v0
