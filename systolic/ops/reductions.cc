#include "systolic/ops/reductions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "systolic/base/error.h"
#include "systolic/ops/elementwise.h"
#include "systolic/ops/shapes.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/creation.h"

namespace systolic::inline v0 {
namespace ops {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Integers as f32.
Tensor as_floats(const Tensor& x, At at) {
  return is_float(x.dtype()) || is_complex(x.dtype()) ? x : v0::cast({x, at}, DType::f32);
}

Tensor known(const Tensor& x) { return v0::logical_not(v0::is_nan(x)); }
Tensor with_nans_as(const Tensor& x, double number) {
  return is_float(x.dtype()) ? v0::where(v0::is_nan(x), number, x) : x;
}
Tensor counts(const Tensor& x, const ReduceOptions& options, At at) {
  return v0::sum(v0::cast(known(x), x.dtype()), options, at);
}

// The axes that are folded as one last one: [..., elements].
Tensor folded_last(const Tensor& x, const ReduceOptions& options, At at) {
  std::vector<int> moved, places;
  for (const int64_t axis : positive_axes(options.axis, x.rank(), at)) {
    places.push_back(static_cast<int>(moved.size()));
    moved.push_back(static_cast<int>(axis));
  }
  for (int& place : places) place += x.rank() - static_cast<int>(moved.size());
  const Tensor last = moveaxis(x, moved, places, at);
  std::vector<int64_t> sizes;
  for (int axis = 0; axis < x.rank() - static_cast<int>(moved.size()); ++axis)
    sizes.push_back(last.shape()[axis]);
  sizes.push_back(-1);
  return v0::reshape(last, Shape(sizes), at);
}

Tensor kept(const Tensor& folded, const Tensor& x, const ReduceOptions& options, At at) {
  if (!options.keepdims) return folded;
  Shape shape = x.shape();
  for (const int64_t axis : positive_axes(options.axis, x.rank(), at))
    shape.set(static_cast<int>(axis), 1);
  return v0::reshape(folded, shape, at);
}

// Between the two neighbours of place `at_place`, f32 [...], of sorted rows.
Tensor between(const Tensor& sorted, const Tensor& at_place, QuantileMethod method, At at) {
  const Tensor low = v0::floor(at_place), high = v0::ceil(at_place);
  const auto element = [&](const Tensor& place) {
    const Tensor index = v0::expand_dims(v0::cast(place, DType::i32), -1, at);
    return v0::squeeze(v0::take_along_axis(sorted, index, -1, at), {-1}, at);
  };
  if (method == QuantileMethod("lower")) return element(low);
  if (method == QuantileMethod("higher")) return element(high);
  if (method == QuantileMethod("nearest")) return element(v0::round(at_place));
  const Tensor below = element(low), above = element(high);
  if (method == QuantileMethod("midpoint")) return (below + above) / 2.0;
  return below + (above - below) * v0::cast(at_place - low, sorted.dtype());
}

void check_share(double q, At at) {
  if (q >= 0 && q <= 1) return;
  raise<InvalidArgument>(
      {.what = str("a quantile at ", q), .wanted = "a share from 0 to 1", .location = at});
}

// One that holds a NaN is NaN.
Tensor quantile_of(const Tensor& x, double q, const ReduceOptions& options, QuantileMethod method,
                   At at) {
  check_share(q, at);
  const Tensor rows = folded_last(as_floats(x, at), options, at);
  const Tensor sorted = v0::sort(rows, -1, false, at);
  const Shape outer = rows.shape().slice(0, rows.rank() - 1);
  const double place = q * static_cast<double>(std::max<int64_t>(rows.shape()[-1] - 1, 0));
  const Tensor found = between(sorted, v0::fill(outer, place), method, at);
  const Tensor broken = v0::any(v0::is_nan(rows), {.axis = -1}, at);
  return kept(v0::where(broken, nan, found), x, options, at);
}

}  // namespace

// clang-format off
Tensor amax(const Tensor& x, ReduceOptions options, At at) { return v0::max(x, options, at); }
Tensor amin(const Tensor& x, ReduceOptions options, At at) { return v0::min(x, options, at); }
Tensor median(const Tensor& x, ReduceOptions options, At at) { return quantile_of(x, 0.5, options, "linear", at); }
Tensor var(const Tensor& x, ReduceOptions options, At at) { return v0::variance(as_floats(x, at), options, at); }
Tensor std(const Tensor& x, ReduceOptions options, At at) { return v0::sqrt(var(x, options, at)); }
Tensor ptp(const Tensor& x, ReduceOptions options, At at) { return v0::max(x, options, at) - v0::min(x, options, at); }

Tensor nansum(const Tensor& x, ReduceOptions options, At at) { return v0::sum(with_nans_as(x, 0), options, at); }
Tensor nanprod(const Tensor& x, ReduceOptions options, At at) { return v0::prod(with_nans_as(x, 1), options, at); }
Tensor nancumsum(const Tensor& x, int axis, At at) { return v0::cumsum(with_nans_as(x, 0), axis, at); }
Tensor nancumprod(const Tensor& x, int axis, At at) { return cumprod(with_nans_as(x, 1), axis, at); }
Tensor nanargmax(const Tensor& x, int axis, At at) { return v0::argmax(with_nans_as(x, -infinity), axis, at); }
Tensor nanargmin(const Tensor& x, int axis, At at) { return v0::argmin(with_nans_as(x, infinity), axis, at); }
Tensor nanstd(const Tensor& x, ReduceOptions options, At at) { return v0::sqrt(nanvar(x, options, at)); }
Tensor nanmedian(const Tensor& x, ReduceOptions options, At at) { return nanquantile(x, 0.5, options, "linear", at); }
// clang-format on

Tensor count_nonzero(const Tensor& x, ReduceOptions options, At at) {
  return v0::sum(v0::cast(x.dtype() == DType::pred ? x : x != 0, DType::i32), options, at);
}

// The running product of n elements by doubling the distance: log2(n) products.
Tensor cumprod(const Tensor& x, int axis, At at) {
  const auto place = static_cast<size_t>(positive_axis(axis, x.rank(), at));
  const int64_t size = x.shape()[static_cast<int>(place)];
  Tensor y = x;
  for (int64_t distance = 1; distance < size; distance *= 2) {
    Shape begin(std::vector<int64_t>(static_cast<size_t>(x.rank()), 0)), part = x.shape();
    part.set(static_cast<int>(place), size - distance);
    std::vector<std::pair<int64_t, int64_t>> padding(static_cast<size_t>(x.rank()), {0, 0});
    padding[place] = {distance, 0};
    y = y * v0::pad(v0::slice(y, begin, part, at), padding, 1, at);
  }
  return y;
}

Tensor nanmax(const Tensor& x, ReduceOptions options, At at) {
  if (!is_float(x.dtype())) return v0::max(x, options, at);
  return v0::where(counts(x, options, at) == 0, nan,
                   v0::max(with_nans_as(x, -infinity), options, at));
}
Tensor nanmin(const Tensor& x, ReduceOptions options, At at) {
  if (!is_float(x.dtype())) return v0::min(x, options, at);
  return v0::where(counts(x, options, at) == 0, nan,
                   v0::min(with_nans_as(x, infinity), options, at));
}
Tensor nanmean(const Tensor& x, ReduceOptions options, At at) {
  const Tensor floats = as_floats(x, at);
  return nansum(floats, options, at) / counts(floats, options, at);
}
Tensor nanvar(const Tensor& x, ReduceOptions options, At at) {
  const Tensor floats = as_floats(x, at);
  const Tensor centre = nanmean(floats, {.axis = options.axis, .keepdims = true}, at);
  return nanmean(v0::square(floats - centre), options, at);
}

// NaNs are sorted to the end of each row, whose other elements are counted.
Tensor nanquantile(const Tensor& x, double q, ReduceOptions options, QuantileMethod method, At at) {
  check_share(q, at);
  const Tensor rows = folded_last(as_floats(x, at), options, at);
  const Tensor count = v0::sum(v0::cast(known(rows), DType::f32), {.axis = -1}, at);
  const Tensor sorted = v0::sort(with_nans_as(rows, infinity), -1, false, at);
  const Tensor place = q * v0::maximum(count - 1.0, 0.0);
  return kept(v0::where(count == 0, nan, between(sorted, place, method, at)), x, options, at);
}
Tensor nanpercentile(const Tensor& x, double q, ReduceOptions options, QuantileMethod method,
                     At at) {
  return nanquantile(x, q / 100, std::move(options), method, at);
}
Tensor quantile(const Tensor& x, double q, ReduceOptions options, QuantileMethod method, At at) {
  return quantile_of(x, q, options, method, at);
}
Tensor quantile(const Tensor& x, const std::vector<double>& q, ReduceOptions options,
                QuantileMethod method, At at) {
  std::vector<Tensor> found;
  for (const double one : q) found.push_back(quantile_of(x, one, options, method, at));
  return v0::stack(found, 0, at);
}
Tensor percentile(const Tensor& x, double q, ReduceOptions options, QuantileMethod method, At at) {
  return quantile_of(x, q / 100, options, method, at);
}

Tensor average(const Tensor& x, const std::optional<Tensor>& weights, ReduceOptions options,
               At at) {
  const Tensor floats = as_floats(x, at);
  if (!weights) return v0::mean(floats, options, at);
  Tensor w = v0::cast({*weights, at}, floats.dtype());
  if (w.rank() == 1 && x.rank() > 1 && options.axis.values.size() == 1) {
    const auto place = static_cast<int>(positive_axis(options.axis.values[0], x.rank(), at));
    std::vector<int64_t> sizes(static_cast<size_t>(x.rank()), 1);
    sizes[static_cast<size_t>(place)] = w.shape()[0];
    w = v0::reshape(w, Shape(sizes), at);
  }
  w = v0::broadcast_to(w, x.shape(), at);
  return v0::sum(floats * w, options, at) / v0::sum(w, options, at);
}

Moments moments(const Tensor& x, ReduceOptions options, At at) {
  return {v0::mean(as_floats(x, at), options, at), var(x, options, at)};
}

Tensor norm(const Tensor& x, double order, ReduceOptions options, At at) {
  const Tensor size = v0::abs(as_floats(x, at));
  if (order == 2) return v0::sqrt(v0::sum(v0::square(size), options, at));
  if (order == 1) return v0::sum(size, options, at);
  if (order == infinity) return v0::max(size, options, at);
  if (order == -infinity) return v0::min(size, options, at);
  if (order == 0) return v0::sum(v0::cast(size != 0, size.dtype()), options, at);
  return v0::pow(v0::sum(v0::pow(size, order), options, at), 1 / order);
}
Tensor normalize(const Tensor& x, int axis, double order, double epsilon, At at) {
  const Tensor floats = as_floats(x, at);
  const ReduceOptions along{.axis = axis, .keepdims = true};
  if (order == 2) {
    const Tensor squares = v0::sum(v0::square(floats), along, at);
    return floats * v0::rsqrt(v0::maximum(squares, epsilon * epsilon));
  }
  return floats / v0::maximum(norm(floats, order, along, at), epsilon);
}

Tensor diff(const Tensor& x, int n, int axis, At at) {
  const auto place = static_cast<int>(positive_axis(axis, x.rank(), at));
  Tensor y = x;
  for (int time = 0; time < n && y.shape()[place] > 0; ++time) {
    Shape first(std::vector<int64_t>(static_cast<size_t>(x.rank()), 0)), second = first,
                                                                         size = y.shape();
    second.set(place, 1);
    size.set(place, y.shape()[place] - 1);
    y = v0::slice(y, second, size, at) - v0::slice(y, first, size, at);
  }
  return y;
}
Tensor trapezoid(const Tensor& y, double dx, int axis, At at) {
  const auto place = static_cast<int>(positive_axis(axis, y.rank(), at));
  const Tensor floats = as_floats(y, at);
  const int64_t size = y.shape()[place];
  if (size < 2) {
    raise<InvalidArgument>({.what = str("trapezoid over axis ", axis, " of shape ", y.shape()),
                            .wanted = "two points or more",
                            .location = at});
  }
  const std::vector<Tensor> parts = split(floats, std::vector<int64_t>{1, size - 1}, place, at);
  const ReduceOptions along{.axis = place};
  return dx * (v0::sum(floats, along, at) -
               (v0::sum(parts.front(), along, at) + v0::sum(parts.back(), along, at)) / 2.0);
}
Tensor psnr(const Tensor& x, const Tensor& y, double max_val, At at) {
  const Tensor error = v0::mean(v0::square(as_floats(x, at) - as_floats(y, at)), {}, at);
  return 20 * std::log10(max_val) - 10 * std::numbers::log10e * v0::log(error);
}

}  // namespace ops
}  // namespace systolic::inline v0
