// Tokens about stretches of sound that overlap, as one text. Internal to transformers.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace systolic::inline v0 {

// Tokens about a stretch, and from when until when each was said; no times where nobody asked.
struct TimedTokens {
  std::vector<int32_t> ids = {};
  std::vector<std::pair<double, double>> times = {};  // seconds
};

// One after the other. The end of each is laid over the beginning of the next where most of their
// tokens are equal; from the middle of this place on the next one counts.
TimedTokens merged_stretches(const std::vector<TimedTokens>& stretches);

}  // namespace systolic::inline v0
