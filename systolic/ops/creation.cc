#include "systolic/ops/creation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <span>

#include "systolic/base/error.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace ops {
namespace {

constexpr int64_t most_elements = int64_t{1} << 31;

void check_count(std::string_view op, int64_t count, At at) {
  if (count >= 0 && count <= most_elements) return;
  raise<InvalidArgument>({.what = str(op, " of ", count, " elements"),
                          .wanted = str("from 0 to ", most_elements),
                          .location = at});
}

// A vector of `count` numbers, computed in f64.
Tensor numbers(std::string_view op, int64_t count, DType dtype,
               const std::function<double(int64_t)>& number, At at) {
  check_count(op, count, at);
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(number(i));
  return Tensor(Literal::from(std::span<const double>(values), {count}).convert(dtype));
}

// Symmetric windows: `at_share` of i / (size - 1).
Tensor window(std::string_view op, int64_t size, const std::function<double(double)>& at_share,
              At at) {
  const double last = static_cast<double>(size - 1);
  return numbers(
      op, size, DType::f32,
      [&](int64_t i) { return size == 1 ? 1 : at_share(static_cast<double>(i) / last); }, at);
}

double cosine(double share, int times = 1) {
  return std::cos(2 * std::numbers::pi * times * share);
}

// The function of order 0, by its power series.
double bessel_i0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; term > 1e-17 * sum; ++k) {
    term *= (x / (2 * k)) * (x / (2 * k));
    sum += term;
  }
  return sum;
}

double share_of(int64_t i, int64_t count, bool endpoint) {
  const int64_t parts = endpoint ? count - 1 : count;
  return parts == 0 ? 0 : static_cast<double>(i) / static_cast<double>(parts);
}

Tensor of_distances(int64_t rows, std::optional<int64_t> columns, int64_t k, bool below,
                    DType dtype, At at) {
  const Shape shape{rows, columns.value_or(rows)};
  const Tensor distance = v0::iota(shape, 1, DType::i32, at) - v0::iota(shape, 0, DType::i32, at);
  return v0::cast({below ? distance <= k : distance == k, at}, dtype);
}

}  // namespace

Tensor arange(double start, double stop, double step, std::optional<DType> dtype, At at) {
  const double count = std::ceil((stop - start) / step);
  if (step == 0 || !std::isfinite(count)) {
    raise<InvalidArgument>(
        {.what = str("arange from ", start, " to ", stop, " by ", step), .location = at});
  }
  const bool whole = std::floor(start) == start && std::floor(step) == step;
  return numbers(
      "arange", static_cast<int64_t>(std::max(count, 0.0)),
      dtype.value_or(whole ? DType::i32 : DType::f32),
      [&](int64_t i) { return start + static_cast<double>(i) * step; }, at);
}
Tensor arange(int64_t stop, At at) { return v0::range(stop, DType::i32, at); }

Tensor empty(const Shape& shape, DType dtype, At at) { return v0::zeros(shape, dtype, at); }
Tensor empty_like(const Tensor& x, At at) { return v0::zeros_like(x, at); }
Tensor full(const Shape& shape, double value, DType dtype, At at) {
  return v0::fill(shape, value, dtype, at);
}
Tensor full_like(const Tensor& x, double value, At at) {
  return v0::fill(x.shape(), value, x.dtype(), at);
}
Tensor eye(int64_t rows, std::optional<int64_t> columns, int64_t k, DType dtype, At at) {
  return of_distances(rows, columns, k, false, dtype, at);
}
Tensor identity(int64_t rows, DType dtype, At at) { return v0::eye(rows, dtype, at); }
Tensor tri(int64_t rows, std::optional<int64_t> columns, int64_t k, DType dtype, At at) {
  return of_distances(rows, columns, k, true, dtype, at);
}

Tensor linspace(double start, double stop, int64_t count, bool endpoint, At at) {
  return numbers(
      "linspace", count, DType::f32,
      [&](int64_t i) { return start + (stop - start) * share_of(i, count, endpoint); }, at);
}
Tensor logspace(double start, double stop, int64_t count, bool endpoint, double base, At at) {
  return numbers(
      "logspace", count, DType::f32,
      [&](int64_t i) {
        return std::pow(base, start + (stop - start) * share_of(i, count, endpoint));
      },
      at);
}
Tensor geomspace(double start, double stop, int64_t count, bool endpoint, At at) {
  if (start * stop <= 0) {
    raise<InvalidArgument>({.what = str("geomspace from ", start, " to ", stop),
                            .wanted = "two numbers of one sign, neither 0",
                            .location = at});
  }
  return numbers(
      "geomspace", count, DType::f32,
      [&](int64_t i) { return start * std::pow(stop / start, share_of(i, count, endpoint)); }, at);
}

Tensor bartlett(int64_t size, At at) {
  return window(
      "bartlett", size, [](double x) { return 1 - std::abs(2 * x - 1); }, at);
}
Tensor blackman(int64_t size, At at) {
  return window(
      "blackman", size, [](double x) { return 0.42 - 0.5 * cosine(x) + 0.08 * cosine(x, 2); }, at);
}
Tensor hamming(int64_t size, At at) {
  return window(
      "hamming", size, [](double x) { return 0.54 - 0.46 * cosine(x); }, at);
}
Tensor hanning(int64_t size, At at) {
  return window(
      "hanning", size, [](double x) { return 0.5 - 0.5 * cosine(x); }, at);
}
Tensor kaiser(int64_t size, double beta, At at) {
  return window(
      "kaiser", size,
      [&](double x) {
        const double side = 2 * x - 1;
        return bessel_i0(beta * std::sqrt(std::max(0.0, 1 - side * side))) / bessel_i0(beta);
      },
      at);
}

std::vector<Tensor> meshgrid(const std::vector<Tensor>& vectors, bool matrix_indexing, At at) {
  std::vector<int64_t> sizes;
  for (const Tensor& one : vectors) sizes.push_back(one.size());
  const bool swaps = !matrix_indexing && vectors.size() > 1;
  const auto place_of = [&](size_t i) { return swaps && i < 2 ? 1 - i : i; };
  if (swaps) std::swap(sizes[0], sizes[1]);
  std::vector<Tensor> grids;
  for (size_t i = 0; i < vectors.size(); ++i) {
    std::vector<int64_t> own(vectors.size(), 1);
    own[place_of(i)] = vectors[i].size();
    grids.push_back(v0::broadcast_to(v0::reshape(vectors[i], Shape(own), at), Shape(sizes), at));
  }
  return grids;
}
Tensor vander(const Tensor& x, std::optional<int64_t> columns, bool increasing, At at) {
  if (x.rank() != 1) {
    raise<InvalidArgument>(
        {.what = str("vander of shape ", x.shape()), .wanted = "a vector", .location = at});
  }
  const int64_t count = columns.value_or(x.size());
  check_count("vander", count, at);
  std::vector<Tensor> powers;
  for (int64_t i = 0; i < count; ++i)
    powers.push_back(i == 0 ? v0::ones_like(x, at) : powers.back() * x);
  if (!increasing) std::reverse(powers.begin(), powers.end());
  return v0::stack(powers, 1, at);
}

}  // namespace ops
}  // namespace systolic::inline v0
