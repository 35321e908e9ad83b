#include "systolic/nn/layers/preprocessing/pictures/warps.h"

#include <algorithm>
#include <cmath>

#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// Each channel by itself, along the rows or the columns.
Tensor filtered(const Tensor& x, const Tensor& weights, const Shape& window) {
  const int64_t channels = x.shape()[3];
  const Tensor kernel = broadcast_to(reshape(weights, {window[0], window[1], 1, 1}),
                                     {window[0], window[1], 1, channels});
  const auto around = [&](int axis) {
    return std::pair<int64_t, int64_t>((window[axis] - 1) / 2, window[axis] / 2);
  };
  return convolution(x, kernel, {.padding = {around(0), around(1)}, .groups = channels});
}

double least_one(int64_t size) { return static_cast<double>(std::max<int64_t>(size - 1, 1)); }

}  // namespace

Tensor gaussian_weights(int64_t width, const Tensor& sigma) {
  return gaussian_weights(width, sigma, fill({}, static_cast<double>(width)));
}

Tensor gaussian_weights(int64_t width, const Tensor& sigma, const Tensor& half) {
  const Tensor place = range(width, DType::f32) - static_cast<double>(width - 1) / 2;
  const Tensor scaled = place / sigma;
  const Tensor weights = where(abs(place) <= half, exp(-0.5 * scaled * scaled), 0.0);
  return weights / sum(weights);
}

Tensor blurred(const Tensor& x, const Tensor& row_weights, const Tensor& column_weights) {
  const Tensor along_rows = filtered(x, row_weights, {1, row_weights.shape()[0]});
  return filtered(along_rows, column_weights, {column_weights.shape()[0], 1});
}

// The corners of the picture, at (0, 0), (w, 0), (0, h) and (w, h), are seen at (0, 0), (w a, 0),
// (0, h b) and (w c, h d). With u = x / w and v = y / h, what is seen at (x, y) comes from (u / (c
// s), v / (d s)) over 1 - u g / (c s) - v k / (d s), where s = 1 / (c / a + d / b - 1), g = c s / a
// - 1 and k = d s / b - 1: the solution of the eight equations for the matrix.
Tensor seen_from(const Tensor& x, const CornerMoves& moves, Sampling interpolation,
                 double fill_value) {
  const Shape sizes{x.shape()[0], x.shape()[1], x.shape()[2], 1};
  const Tensor row = iota(sizes, 1, DType::f32), column = iota(sizes, 2, DType::f32);
  const Tensor c = 1.0 + moves.bottom_right_x, d = 1.0 + moves.bottom_right_y;
  const Tensor c_of_a = c / (1.0 + moves.top_right_x), d_of_b = d / (1.0 + moves.bottom_left_y);
  const Tensor s = 1.0 / (c_of_a + d_of_b - 1.0);
  const Tensor from_left = column / (c * s), from_top = row / (d * s);
  const Tensor nearness = 1.0 - from_left * ((c_of_a * s - 1.0) / least_one(x.shape()[2])) -
                          from_top * ((d_of_b * s - 1.0) / least_one(x.shape()[1]));
  return sampled_at(x, from_left / nearness, from_top / nearness, interpolation, "constant",
                    fill_value);
}

Tensor distorted(const Tensor& x, const Distortion& distortion, Sampling interpolation,
                 FillMode fill_mode, double fill_value) {
  const Shape sizes{x.shape()[0], x.shape()[1], x.shape()[2], 1};
  const auto longer = static_cast<double>(std::max(sizes[1], sizes[2]));
  const auto shorter = static_cast<double>(std::min(sizes[1], sizes[2]));
  const Tensor sigma = distortion.strength * (0.05 * shorter);
  // Three times sigma to each side, as a whole number.
  const Tensor half = floor(floor(sigma * 6.0) / 2.0);
  const auto most = static_cast<int64_t>(std::floor(distortion.most_strength * 0.3 * shorter / 2));
  const Tensor weights = gaussian_weights(2 * most + 1, sigma, half);
  const Tensor alpha = distortion.strength * (0.1 * longer);
  const auto moved = [&](int axis, const Tensor& field) {
    return iota(sizes, axis, DType::f32) + alpha * blurred(field * sigma, weights, weights);
  };
  return sampled_at(x, moved(2, distortion.right), moved(1, distortion.down), interpolation,
                    fill_mode, fill_value);
}

}  // namespace systolic::inline v0
