// The gradient of softmax's rows (softmax_rows.h), in two passes over each row while the
// first-level cache holds it.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace kernels {

// gradient, exponentials and dx are of `rows` x `columns` without gaps, sums of `rows`; columns
// from least_softmax_columns to most_softmax_columns. dx may be gradient.
struct SoftmaxGradientOperands {
  const float* gradient = nullptr;      // of the shares
  const float* exponentials = nullptr;  // as softmax_rows_f32 makes them
  const float* sums = nullptr;  // of their rows: from 1 to `columns`, or NaN; null: they are shares
  float* dx = nullptr;
};

// For each row i:
//
//   shares[i][j] = exponentials[i][j] / sums[i]
//   dx[i][j]     = (gradient[i][j] - sum over k of gradient[i][k] * shares[i][k]) * shares[i][j]
//
// A share is off by 1.5 ULP where it is made by the sum's reciprocal; a sum of n terms by at most
// (n / lanes + lanes) / 2 epsilons of the sum of their magnitudes, for at least 4 lanes. Gradients
// half as large as floats can be may overflow in the difference.
//
//   softmax_gradient_rows_f32(rows, columns, {.gradient = dy, .exponentials = e, .sums = sums,
//                                             .dx = dx});
void softmax_gradient_rows_f32(int64_t rows, int64_t columns,
                               const SoftmaxGradientOperands& operands);

}  // namespace kernels
}  // namespace systolic::inline v0
