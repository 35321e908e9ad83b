// While training, adds to each picture's values, and inverts those from a threshold on
// (keras.layers.Solarization). Both are drawn, as shares of 255: from 0 where one number is given.
//
//   Solarization{.threshold_factor = {0.5, 0.5}}
//
// Pictures [batch, height, width, channels] of numbers; in evaluation they are returned as they
// are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct Solarization {
  DrawnFactor addition_factor = 0.0;
  DrawnFactor threshold_factor = 0.0;
  ValueRange value_range = {0, 255};
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(Solarization, addition_factor, threshold_factor, value_range, seed)
};

extern template Layer::Layer(Solarization);

}  // namespace systolic::inline v0
