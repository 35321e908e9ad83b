#include "systolic/nn/layers/resize.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "systolic/nn/layers/along_axis.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

double triangle(double x) { return std::max(0.0, 1 - x); }

// Keys 1981 with a = -1/2.
double cubic(double x) {
  if (x >= 2) return 0;
  return x < 1 ? ((1.5 * x - 2.5) * x) * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2;
}

template <int radius>
double lanczos(double x) {
  if (x > radius) return 0;
  if (x <= 1e-3) return 1;
  const double angle = std::numbers::pi * x;
  return radius * std::sin(angle) * std::sin(angle / radius) / (angle * angle);
}

using Kernel = double (*)(double distance);

#define SYSTOLIC_KERNEL(name, kernel) kernel,
constexpr Kernel kernels[] = {SYSTOLIC_INTERPOLATIONS(SYSTOLIC_KERNEL)};

int64_t nearest(int64_t i, int64_t size, int64_t of) {
  return std::min(of - 1, (2 * i + 1) * of / (2 * size));
}

Tensor nearest_elements(const Tensor& x, int axis, int64_t size) {
  Literal positions(DType::i32, {size});
  for (int64_t i = 0; i < size; ++i)
    positions.mutable_data<int32_t>()[i] = static_cast<int32_t>(nearest(i, size, x.shape()[axis]));
  return gather(x, Tensor(positions), axis);
}

Kernel kernel_of(const Interpolation& interpolation) {
  return kernels[position_in(InterpolationNames::names, interpolation.name())];
}

}  // namespace

// Elements beyond the ends count nothing, so that shares add up to 1.
Literal shares_at(int64_t size, int64_t of, double scale, double translation,
                  Interpolation interpolation, bool antialias) {
  const Kernel kernel = kernel_of(interpolation);
  const double width = antialias ? std::max(1 / scale, 1.0) : 1.0;
  Literal shares(DType::f32, {size, of});
  std::vector<double> row(static_cast<size_t>(of));
  for (int64_t i = 0; i < size; ++i) {
    const double place = (static_cast<double>(i) + 0.5 - translation) / scale - 0.5;
    const bool inside = place >= -0.5 && place <= static_cast<double>(of) - 0.5;
    double total = 0;
    for (int64_t k = 0; k < of; ++k)
      total += row[static_cast<size_t>(k)] =
          kernel(std::abs(place - static_cast<double>(k)) / width);
    for (int64_t k = 0; k < of; ++k) {
      const double share = total == 0 || !inside ? 0 : row[static_cast<size_t>(k)] / total;
      shares.mutable_data<float>()[i * of + k] = static_cast<float>(share);
    }
  }
  return shares;
}

Tensor resize_axis(const Tensor& x, int axis, int64_t size, Interpolation interpolation,
                   bool antialias) {
  if (size == x.shape()[axis]) return x;
  if (interpolation.is("nearest")) return nearest_elements(x, axis, size);
  const int64_t of = x.shape()[axis];
  const double scale = static_cast<double>(size) / static_cast<double>(of);
  return multiply_along_axis(shares_at(size, of, scale, 0, interpolation, antialias), x, axis);
}

Tensor repeat_axis(const Tensor& x, int axis, int64_t times) {
  if (times == 1) return x;
  const Tensor wide = expand_dims(x, axis + 1);
  Shape many = wide.shape(), joined = x.shape();
  many.set(axis + 1, times);
  joined.set(axis, x.shape()[axis] * times);
  return reshape(broadcast_to(wide, many), joined);
}

}  // namespace systolic::inline v0
