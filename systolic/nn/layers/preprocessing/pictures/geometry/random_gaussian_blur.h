// While training, blurs each picture with a probability that is drawn from `factor`
// (keras.layers.RandomGaussianBlur). The widths of the Gaussian, `sigma`, are drawn once for the
// batch, one along the rows and one along the columns.
//
//   RandomGaussianBlur{.kernel_size = 5, .sigma = {0.5, 1}}      // {5, 3}: 5 wide and 3 high
//
// Pictures [batch, height, width, channels] of numbers; in evaluation they are returned as they
// are.
#pragma once

#include "systolic/nn/config/size2.h"
#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomGaussianBlur {
  DrawnFactor factor = 1.0;
  Size2 kernel_size = 3;  // odd: width, height
  DrawnFactor sigma = 1.0;
  ValueRange value_range = {0, 255};
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(RandomGaussianBlur, factor, kernel_size, sigma, value_range, seed)
};

extern template Layer::Layer(RandomGaussianBlur);

}  // namespace systolic::inline v0
