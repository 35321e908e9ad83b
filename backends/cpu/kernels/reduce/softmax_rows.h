// Rows of exponentials and their sums, in one pass over each row while the first-level cache holds
// it: what softmax consists of.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace kernels {

// Fewer columns are less than a vector; more would leave the first-level cache, and be too many to
// add up in one vector of sums.
inline constexpr int64_t least_softmax_columns = 16, most_softmax_columns = 2048;

// y[i][j] = exp(x[i][j] - max over k of x[i][k]), sums[i] = sum over j of y[i][j], for x and y of
// `rows` x `columns` without gaps; y may be x. Where `sums` is null, y is divided by them instead:
// softmax, by one reciprocal a row, so that a share is off by 1.5 ULP more than its exponential.
// A row with a NaN, or of nothing but -infinity, becomes NaN.
//
//   softmax_rows_f32(scores, rows, columns, shares, nullptr);
void softmax_rows_f32(const float* x, int64_t rows, int64_t columns, float* y, float* sums);

}  // namespace kernels
}  // namespace systolic::inline v0
