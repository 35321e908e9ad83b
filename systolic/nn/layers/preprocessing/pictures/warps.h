// Pictures blurred, bent and seen from another side: what layers for pictures do at given
// parameters, on f32 [batch, height, width, channels]. Internal to nn.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/pictures.h"

namespace systolic::inline v0 {

// The weights of a Gaussian at `size` places around its middle, i32 scalar or a number, as the
// middle of `width` of them: f32 [width], which add up to 1. `sigma`: f32 scalar.
Tensor gaussian_weights(int64_t width, const Tensor& sigma);
Tensor gaussian_weights(int64_t width, const Tensor& sigma, const Tensor& half);
// Weighted sums of what lies around each pixel; beyond the edge are zeros.
Tensor blurred(const Tensor& x, const Tensor& row_weights, const Tensor& column_weights);

// By how much the corners move away from the top left one, which stays, as shares of the sides:
// each [batch, 1, 1, 1].
struct CornerMoves {
  Tensor top_right_x, bottom_left_y, bottom_right_x, bottom_right_y;
};
// Beyond the edge is fill_value.
Tensor seen_from(const Tensor& x, const CornerMoves& moves, Sampling interpolation,
                 double fill_value);

// How a picture is stretched like rubber (Simard, Steinkraus, Platt, "Best practices for
// convolutional neural networks applied to visual document analysis", 2003).
struct Distortion {
  Tensor strength;           // f32 scalar, from 0 to most_strength
  double most_strength = 1;  // known beforehand
  Tensor right, down;        // f32 [batch, height, width, 1], standard normal
};
// Keras's: both fields times sigma, blurred by it, and by alpha; sigma is 0.05 times the strength
// of the shorter side, and alpha 0.1 times that of the longer one.
Tensor distorted(const Tensor& x, const Distortion& distortion, Sampling interpolation,
                 FillMode fill_mode, double fill_value);

}  // namespace systolic::inline v0
