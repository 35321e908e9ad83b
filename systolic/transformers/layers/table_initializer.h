// How tables of vectors start in `transformers`. Internal to transformers.
#pragma once

#include <optional>

#include "systolic/core/literal.h"

namespace systolic::inline v0 {

// [rows, size], normal; the row of the token that pads is 0 (-1: the last).
struct NormalTable {
  double stddev = 0.02;
  std::optional<int64_t> padding = {};

  Literal operator()(const Shape& shape, uint64_t seed) const;
};

// [positions, size]: of position p, sin(p / 10000^(2i / size)) at 2i and its cosine at 2i + 1
// (Vaswani et al. 2017, arXiv 1706.03762, section 3.5).
struct SinusoidalTable {
  Literal operator()(const Shape& shape, uint64_t seed) const;
};

}  // namespace systolic::inline v0
