// What divides by pivots: loops on the device over the columns of a matrix.
#include "systolic/base/error.h"
#include "systolic/ops/linear.h"
#include "systolic/ops/shapes.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {
namespace ops {
namespace {

void check_square(std::string_view op, const Tensor& a, At at) {
  if (is_float(a.dtype()) && a.rank() >= 2 && a.shape()[-1] == a.shape()[-2]) return;
  raise<InvalidArgument>({.what = str(op, " of ", to_string(a.dtype()), " of shape ", a.shape()),
                          .wanted = "floats [..., n, n]",
                          .location = at});
}

// [n] in which element i is 1.
Tensor unit_row(const Tensor& i, int64_t size, DType dtype) {
  return v0::cast(v0::range(size) == i, dtype);
}

// Column (row) i of [..., n, m]: [..., n] ([..., m]).
Tensor column_at(const Tensor& a, const Tensor& unit) { return v0::sum(a * unit, {.axis = -1}); }
Tensor row_at(const Tensor& a, const Tensor& unit) {
  return v0::sum(a * v0::expand_dims(unit, -1), {.axis = -2});
}

// Gauss and Jordan: [a | b] becomes [1 | a^-1 b]. Each round moves the row with the largest pivot
// up, divides it, and takes it from all others.
struct Eliminated {
  Tensor solution, sign, log_size;
};
Eliminated eliminated(const Tensor& a, const Tensor& b, At at) {
  const int64_t n = a.shape()[-1];
  const DType dtype = a.dtype();
  const Tensor both = v0::concat({a, b}, -1, at);
  const Shape outer = a.shape().slice(0, a.rank() - 2);
  const auto round = [&](const Tensor& i, const Tensors& state) {
    const Tensor unit = unit_row(i, n, dtype);
    const Tensor in_row = v0::pad(unit, {{0, both.shape()[-1] - n}});
    const Tensor column = column_at(state[0], in_row);  // [..., n]
    const Tensor candidates = v0::where(v0::range(n) >= i, v0::abs(column), -v0::ones({}, dtype));
    const Tensor best = v0::argmax(v0::stop_gradient(candidates), -1);
    const Tensor chosen = v0::one_hot(best, n, dtype);  // [..., n]
    const Tensor pivot_row = row_at(state[0], chosen), own_row = row_at(state[0], unit);
    const Tensor pivot = v0::sum(column * chosen, {.axis = -1, .keepdims = true});
    const Tensor scaled = pivot_row / pivot;
    // The own row goes to where the pivot's was.
    const Tensor moved =
        state[0] + v0::expand_dims(chosen, -1) * v0::expand_dims(own_row - pivot_row, -2);
    const Tensor factors = column_at(moved, in_row) * (1 - unit);
    const Tensor rest = moved - v0::expand_dims(factors, -1) * v0::expand_dims(scaled, -2);
    const Tensor next =
        v0::where(v0::expand_dims(v0::range(n) == i, -1), v0::expand_dims(scaled, -2), rest);
    const Tensor swaps = v0::where(v0::equal(best, i), 1.0, -v0::ones({}, dtype));
    const Tensor size = v0::squeeze(pivot, {-1});
    return Tensors{next, state[1] * swaps * v0::sign(size), state[2] + v0::log(v0::abs(size))};
  };
  const Tensors last =
      v0::for_range(n, {both, v0::ones(outer, dtype, at), v0::zeros(outer, dtype, at)}, round, at);
  Shape begin(std::vector<int64_t>(static_cast<size_t>(both.rank()), 0)), size = b.shape();
  begin.set(-1, n);
  return {v0::slice(last[0], begin, size, at), last[1], last[2]};
}

// The leading axes of both.
std::pair<Tensor, Tensor> of_one_batch(const Tensor& a, const Tensor& b, At at) {
  if (b.rank() < 2 || a.shape()[-1] != b.shape()[-2] || a.dtype() != b.dtype()) {
    raise<InvalidArgument>({.what = str("solve of shapes ", a.shape(), " and ", b.shape()),
                            .wanted = "[..., n, n] and [..., n, columns] of one type",
                            .location = at});
  }
  const Shape outer =
      broadcast_shape(a.shape().slice(0, a.rank() - 2), b.shape().slice(0, b.rank() - 2), at);
  const auto spread = [&](const Tensor& x) {
    std::vector<int64_t> sizes;
    for (int axis = 0; axis < outer.rank(); ++axis) sizes.push_back(outer[axis]);
    sizes.insert(sizes.end(), {x.shape()[-2], x.shape()[-1]});
    return v0::broadcast_to(x, Shape(sizes), at);
  };
  return {spread(a), spread(b)};
}

Tensor identity_like(const Tensor& a) {
  return v0::broadcast_to(v0::eye(a.shape()[-1], a.dtype()), a.shape());
}

Tensor transposed(const Tensor& a) { return swapaxes(a, -1, -2); }

}  // namespace

Tensor solve(const Tensor& a, const Tensor& b, At at) {
  check_square("solve", a, at);
  if (b.rank() == 1) return v0::squeeze(solve(a, v0::expand_dims(b, -1, at), at), {-1}, at);
  const auto [matrix, right] = of_one_batch(a, b, at);
  return eliminated(matrix, right, at).solution;
}
Tensor inv(const Tensor& a, At at) {
  check_square("inv", a, at);
  return eliminated(a, identity_like(a), at).solution;
}
SignAndLog slogdet(const Tensor& a, At at) {
  check_square("slogdet", a, at);
  const Eliminated found = eliminated(a, identity_like(a), at);
  return {found.sign, found.log_size};
}
Tensor det(const Tensor& a, At at) {
  const SignAndLog found = slogdet(a, at);
  return v0::where(v0::is_nan(found.logabsdet), 0.0, found.sign * v0::exp(found.logabsdet));
}
Tensor logdet(const Tensor& a, At at) { return slogdet(a, at).logabsdet; }

// Column by column (Cholesky and Banachiewicz).
Tensor cholesky(const Tensor& a, bool upper, At at) {
  check_square("cholesky", a, at);
  const int64_t n = a.shape()[-1];
  const auto round = [&](const Tensor& i, const Tensors& state) {
    const Tensor unit = unit_row(i, n, a.dtype());
    const Tensor own = row_at(state[0], unit);  // what is known of row i
    const Tensor left =
        column_at(a, unit) - v0::squeeze(v0::matmul(state[0], v0::expand_dims(own, -1)), {-1});
    const Tensor pivot = v0::sqrt(v0::sum(left * unit, {.axis = -1, .keepdims = true}));
    const Tensor column = v0::where(v0::range(n) >= i, left / pivot, v0::zeros({}, a.dtype()));
    return Tensors{state[0] + v0::expand_dims(column, -1) * unit};
  };
  const Tensor lower = v0::for_range(n, {v0::zeros_like(a, at)}, round, at)[0];
  return upper ? transposed(lower) : lower;
}
Tensor solve_triangular(const Tensor& a, const Tensor& b, bool lower, At at) {
  check_square("solve_triangular", a, at);
  return solve(lower ? tril(a, 0, at) : triu(a, 0, at), b, at);
}
Tensor cholesky_inverse(const Tensor& factor, bool upper, At at) {
  const Tensor lower = upper ? transposed(factor) : factor;
  const Tensor inverse = inv(tril(lower, 0, at), at);
  return v0::matmul(transposed(inverse), inverse, {}, at);
}

}  // namespace ops
}  // namespace systolic::inline v0
