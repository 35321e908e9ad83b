// Scores of queries by distance become scores by key, without a table of all pairs (Dai et al.
// 2019, arXiv 1901.02860, appendix B). Internal to transformers.
#pragma once

#include <cstdint>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// [batch, heads, tokens, distances] -> [batch, heads, tokens, keys]: for query i and key j it takes
// column tokens - i + j. There are at least tokens + keys columns; column 0 is never read.
Tensor scores_by_key(const Tensor& scores, int64_t keys);

}  // namespace systolic::inline v0
