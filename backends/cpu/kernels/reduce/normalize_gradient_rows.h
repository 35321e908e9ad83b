// The gradient of a normalization of rows (normalize_rows.h), in two passes over each row while the
// first-level cache holds it.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace kernels {

struct NormalizeGradientOptions {
  int64_t columns = 0;  // least_normalized_columns to most_normalized_columns
  // Factors of the sums: about 1 / columns, and about -1 / columns.
  float mean_factor = 0, variance_factor = 0;
};

// gradient, centered, added and dx are of `rows` x `columns` without gaps, inverse of `rows`, the
// others of `columns`. scale may be null, which is 1, and so may added, which is 0; of the sums,
// those that are null are not made. dx may be gradient.
struct NormalizeGradientOperands {
  const float* gradient = nullptr;  // of what the scale and the offset have made
  const float* scale = nullptr;
  const float* centered = nullptr;
  const float* inverse = nullptr;
  const float* added = nullptr;
  float* dx = nullptr;
  float* scale_sums = nullptr;
  float* offset_sums = nullptr;
};

// For each row i, with sums over its columns j, but those of the last two over the rows i:
//
//   scaled[i][j]   = gradient[i][j] * scale[j]
//   by_variance[i] = variance_factor * inverse[i]^3 * sum scaled[i][j] * centered[i][j]
//   flow[i][j]     = scaled[i][j] * inverse[i] + by_variance[i] * centered[i][j]
//   dx[i][j]       = flow[i][j] - mean_factor * sum flow[i][j] + added[i][j]
//   scale_sums[j]  = sum gradient[i][j] * centered[i][j] * inverse[i]
//   offset_sums[j] = sum gradient[i][j]
//
// A sum of a row's n terms is off by at most (n / lanes + lanes) / 2 epsilons of the sum of their
// magnitudes, for at least 4 lanes; the sum of flow[i] is that of its two parts. Sums of columns
// add row after row: they are for few rows.
//
//   normalize_gradient_rows_f32({.columns = 768, .mean_factor = 1.0F / 768,
//                                .variance_factor = -1.0F / 768}, rows,
//                               {.gradient = dy, .scale = gamma, .centered = centered,
//                                .inverse = inverse, .dx = dx});
void normalize_gradient_rows_f32(const NormalizeGradientOptions& options, int64_t rows,
                                 const NormalizeGradientOperands& operands);

}  // namespace kernels
}  // namespace systolic::inline v0
