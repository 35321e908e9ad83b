// Vector reductions of a contiguous run of f32.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace kernels {

// In 64 accumulators that are then added up as a tree; for runs of at most a few thousand.
float sum_f32(const float* values, int64_t count);
// NaN if there is one; -infinity and infinity for no values.
float maximum_f32(const float* values, int64_t count);
float minimum_f32(const float* values, int64_t count);

}  // namespace kernels
}  // namespace systolic::inline v0
