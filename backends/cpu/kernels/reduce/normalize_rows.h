// Normalization of rows, as layer normalization does it (Ba, Kiros and Hinton, arXiv 1607.06450),
// in three passes over each row while the first-level cache holds it.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace kernels {

// Fewer columns are less than a vector; more would leave the first-level cache.
inline constexpr int64_t least_normalized_columns = 16, most_normalized_columns = 4096;

struct NormalizeRowsOptions {
  int64_t columns = 0;
  float mean_factor = 0, variance_factor = 0;  // of the sums: about 1 / columns
  float epsilon = 0;
};

// x, centered, normalized and y are of `rows` x `columns` without gaps, inverse of `rows`, scale
// and offset of `columns`. All except x may be null: then they are not stored or, for scale and
// offset, 1 and 0. The results may not overlap, except that one of them may be x.
struct NormalizeRowsOperands {
  const float* x = nullptr;
  const float* scale = nullptr;
  const float* offset = nullptr;
  float* centered = nullptr;
  float* inverse = nullptr;
  float* normalized = nullptr;
  float* y = nullptr;
};

// For each row i, with sums over its columns j:
//
//   centered[i][j]   = x[i][j] - mean_factor * sum x[i][j]
//   inverse[i]       = 1 / sqrt(variance_factor * sum centered[i][j]^2 + epsilon)
//   normalized[i][j] = centered[i][j] * inverse[i]
//   y[i][j]          = normalized[i][j] * scale[j] + offset[j]
//
// A sum of n terms is off by at most (n / lanes + lanes) / 2 epsilons of the sum of their
// magnitudes, for at least 4 lanes.
//
//   normalize_rows_f32({.columns = 768, .mean_factor = 1.0F / 768, .variance_factor = 1.0F / 768,
//                       .epsilon = 1e-12F}, rows, {.x = x, .scale = gamma, .offset = beta, .y =
//                       y});
void normalize_rows_f32(const NormalizeRowsOptions& options, int64_t rows,
                        const NormalizeRowsOperands& operands);

}  // namespace kernels
}  // namespace systolic::inline v0
