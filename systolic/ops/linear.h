// keras.ops of vectors and matrices. What stands after `using` is the op of trace/ops with the same
// name. Leading axes of matrices are a batch: [..., n, m].
//
//   Tensor x = ops::solve(a, b);                       // a [..., n, n], b [..., n, columns]
//
// What divides by pivots (solve, inv, det, ...) is a loop on the device over the columns, with the
// largest pivot of each; gradients flow. A singular matrix gives infinities or NaN.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace ops {

using At = SourceLocation;

using v0::einsum;
using v0::matmul;

// NumPy's dot: the last axis of a with the last but one of b, all others side by side.
Tensor dot(const Tensor& a, const Tensor& b, At at = At::current());
Tensor inner(const Tensor& a, const Tensor& b, At at = At::current());  // last axes
Tensor outer(const Tensor& a, const Tensor& b, At at = At::current());  // flattened
Tensor vdot(const Tensor& a, const Tensor& b, At at = At::current());   // flattened, a conjugated
Tensor kron(const Tensor& a, const Tensor& b, At at = At::current());
// Over the last `axes` of a and the first of b, or over these axes of each.
Tensor tensordot(const Tensor& a, const Tensor& b, int axes = 2, At at = At::current());
Tensor tensordot(const Tensor& a, const Tensor& b,
                 const std::pair<std::vector<int>, std::vector<int>>& axes, At at = At::current());
// The vectors have 2 or 3 numbers along the last axis; two of 2 give a scalar.
Tensor cross(const Tensor& a, const Tensor& b, At at = At::current());
// Distances between rows: [..., n, size], [..., m, size] -> [..., n, m].
Tensor cdist(const Tensor& a, const Tensor& b, double p = 2, At at = At::current());
// Correlations of the rows [rows, samples] -> [rows, rows].
Tensor corrcoef(const Tensor& x, At at = At::current());
// Sums of products of two vectors at each shift.
enum class CorrelateMode : uint8_t { valid, same, full };
Tensor correlate(const Tensor& a, const Tensor& b, CorrelateMode mode = CorrelateMode::valid,
                 At at = At::current());

Tensor solve(const Tensor& a, const Tensor& b, At at = At::current());
Tensor inv(const Tensor& a, At at = At::current());
Tensor det(const Tensor& a, At at = At::current());
// A determinant as its sign and the logarithm of its size.
struct SignAndLog {
  Tensor sign, logabsdet;
};
// For matrices [..., n, n].
SignAndLog slogdet(const Tensor& a, At at = At::current());
Tensor logdet(const Tensor& a, At at = At::current());  // of a positive definite matrix
// The lower (or upper) triangle whose product with its transpose is a, positive definite.
Tensor cholesky(const Tensor& a, bool upper = false, At at = At::current());
// The inverse of the matrix whose factor that is.
Tensor cholesky_inverse(const Tensor& factor, bool upper = false, At at = At::current());
// b divided by a triangular matrix.
Tensor solve_triangular(const Tensor& a, const Tensor& b, bool lower = false,
                        At at = At::current());

}  // namespace ops
}  // namespace systolic::inline v0
