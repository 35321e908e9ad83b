// Vector reductions of contiguous runs of f32, and sums of rows.
#pragma once

#include <array>
#include <cstdint>

#include "systolic/core/dtype.h"

namespace systolic::inline v0 {
namespace kernels {

// In 64 accumulators that are then added up as a tree; for runs of at most a few thousand.
float sum_f32(const float* values, int64_t count);
// NaN if there is one; -infinity and infinity for no values.
float maximum_f32(const float* values, int64_t count);
float minimum_f32(const float* values, int64_t count);

// Whether add_four_rows takes rows of this type: f32 and bf16.
constexpr bool adds_rows(DType dtype) { return dtype == DType::f32 || dtype == DType::bf16; }
// sums[j] += (a[j] + b[j]) + (c[j] + d[j]) for four rows of `width` elements.
void add_four_rows(DType dtype, const std::array<const void*, 4>& rows, int64_t width, float* sums);

}  // namespace kernels
}  // namespace systolic::inline v0
