#include "systolic/ops/linear.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/ops/elementwise.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/shapes.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/creation.h"

namespace systolic::inline v0 {
namespace ops {
namespace {

[[noreturn]] void raise_product(std::string_view op, const Tensor& a, const Tensor& b, At at) {
  raise<InvalidArgument>({.what = str(op, " of shapes ", a.shape(), " and ", b.shape()),
                          .wanted = "sizes that fit",
                          .location = at});
}

std::vector<int64_t> sizes_of(const Tensor& x, const std::vector<int>& axes) {
  std::vector<int64_t> sizes;
  for (const int axis : axes) sizes.push_back(x.shape()[axis]);
  return sizes;
}

int64_t product_of(const std::vector<int64_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

std::vector<int> axes_besides(const Tensor& x, const std::vector<int>& taken) {
  std::vector<int> others;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if (std::find(taken.begin(), taken.end(), axis) == taken.end()) others.push_back(axis);
  }
  return others;
}

std::vector<int> one_after_the_other(std::vector<int> first, const std::vector<int>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Tensor permuted(const Tensor& x, const std::vector<int>& order, At at) {
  return order.empty() ? x : v0::transpose(x, order, at);
}

}  // namespace

Tensor tensordot(const Tensor& a, const Tensor& b,
                 const std::pair<std::vector<int>, std::vector<int>>& axes, At at) {
  std::vector<int> of_a, of_b;
  for (const int axis : axes.first)
    of_a.push_back(static_cast<int>(positive_axis(axis, a.rank(), at)));
  for (const int axis : axes.second)
    of_b.push_back(static_cast<int>(positive_axis(axis, b.rank(), at)));
  if (sizes_of(a, of_a) != sizes_of(b, of_b)) raise_product("tensordot", a, b, at);
  const std::vector<int> left = axes_besides(a, of_a), right = axes_besides(b, of_b);
  std::vector<int64_t> result = sizes_of(a, left);
  const std::vector<int64_t> others = sizes_of(b, right), folded = sizes_of(a, of_a);
  const Tensor rows = v0::reshape(permuted(a, one_after_the_other(left, of_a), at),
                                  {product_of(result), product_of(folded)}, at);
  const Tensor columns = v0::reshape(permuted(b, one_after_the_other(of_b, right), at),
                                     {product_of(folded), product_of(others)}, at);
  result.insert(result.end(), others.begin(), others.end());
  return v0::reshape(v0::matmul(rows, columns, {}, at), Shape(result), at);
}
Tensor tensordot(const Tensor& a, const Tensor& b, int axes, At at) {
  if (axes < 0 || axes > a.rank() || axes > b.rank()) raise_product("tensordot", a, b, at);
  std::vector<int> last(static_cast<size_t>(axes)), first = last;
  std::iota(last.begin(), last.end(), a.rank() - axes);
  std::iota(first.begin(), first.end(), 0);
  return tensordot(a, b, {last, first}, at);
}
Tensor dot(const Tensor& a, const Tensor& b, At at) {
  if (a.rank() == 0 || b.rank() == 0) return a * b;
  return tensordot(a, b, {{-1}, {b.rank() == 1 ? 0 : b.rank() - 2}}, at);
}
Tensor inner(const Tensor& a, const Tensor& b, At at) {
  if (a.rank() == 0 || b.rank() == 0) return a * b;
  return tensordot(a, b, {{-1}, {-1}}, at);
}
Tensor outer(const Tensor& a, const Tensor& b, At at) {
  return v0::reshape(a, {-1, 1}, at) * v0::reshape(b, {1, -1}, at);
}
Tensor vdot(const Tensor& a, const Tensor& b, At at) {
  if (a.size() != b.size()) raise_product("vdot", a, b, at);
  return v0::sum(conj(ravel(a, at)) * ravel(b, at), {}, at);
}
Tensor kron(const Tensor& a, const Tensor& b, At at) {
  const int rank = std::max(a.rank(), b.rank());
  std::vector<int64_t> of_a, of_b, result;
  for (int axis = 0; axis < rank; ++axis) {
    const int in_a = axis - (rank - a.rank()), in_b = axis - (rank - b.rank());
    const int64_t rows = in_a < 0 ? 1 : a.shape()[in_a], inside = in_b < 0 ? 1 : b.shape()[in_b];
    of_a.insert(of_a.end(), {rows, 1});
    of_b.insert(of_b.end(), {1, inside});
    result.push_back(rows * inside);
  }
  return v0::reshape(v0::reshape(a, Shape(of_a), at) * v0::reshape(b, Shape(of_b), at),
                     Shape(result), at);
}
Tensor cross(const Tensor& a, const Tensor& b, At at) {
  const int64_t of_a = a.rank() == 0 ? 0 : a.shape()[-1], of_b = b.rank() == 0 ? 0 : b.shape()[-1];
  if (of_a < 2 || of_a > 3 || of_b < 2 || of_b > 3) raise_product("cross", a, b, at);
  const auto part = [&](const Tensor& x, int64_t i) {
    return i < x.shape()[-1] ? x[{ellipsis, i}] : v0::zeros_like(x[{ellipsis, 0}]);
  };
  const auto turned = [&](int64_t i, int64_t j) {
    return part(a, i) * part(b, j) - part(a, j) * part(b, i);
  };
  if (of_a == 2 && of_b == 2) return turned(0, 1);
  return v0::stack({turned(1, 2), turned(2, 0), turned(0, 1)}, -1, at);
}
Tensor cdist(const Tensor& a, const Tensor& b, double p, At at) {
  if (a.rank() < 2 || b.rank() < 2 || a.shape()[-1] != b.shape()[-1])
    raise_product("cdist", a, b, at);
  return norm(v0::expand_dims(a, -2, at) - v0::expand_dims(b, -3, at), p, {.axis = -1}, at);
}
Tensor corrcoef(const Tensor& x, At at) {
  if (x.rank() != 2) raise_product("corrcoef", x, x, at);
  const Tensor centred = x - v0::mean(x, {.axis = 1, .keepdims = true}, at);
  const Tensor covariance = v0::matmul(centred, centred, {.transpose_b = true}, at);
  const Tensor deviation = v0::sqrt(diagonal(covariance, 0, 0, 1, at));
  return covariance / outer(deviation, deviation, at);
}
Tensor correlate(const Tensor& a, const Tensor& b, CorrelateMode mode, At at) {
  if (a.rank() != 1 || b.rank() != 1 || a.size() == 0 || b.size() == 0)
    raise_product("correlate", a, b, at);
  const bool swapped = a.size() < b.size();
  const Tensor &longer = swapped ? b : a, &shorter = swapped ? a : b;
  const int64_t n = shorter.size();
  const int64_t before = mode == CorrelateMode::full   ? n - 1
                         : mode == CorrelateMode::same ? n / 2
                                                       : 0;
  const int64_t after = mode == CorrelateMode::full   ? n - 1
                        : mode == CorrelateMode::same ? (n - 1) / 2
                                                      : 0;
  const Tensor padded = v0::pad(longer, {{before, after}}, 0, at);
  const Tensor found = v0::sum(extract_sequences(padded, n, 1, at) * shorter, {.axis = -1}, at);
  return swapped ? v0::flip(found, {0}, at) : found;
}

}  // namespace ops
}  // namespace systolic::inline v0
