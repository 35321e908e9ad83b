// While training, turns each picture's hue, a circle of length 1, by up to half of a drawn factor
// to either side (keras.layers.RandomHue).
//
//   RandomHue{.factor = 0.2}
//
// Pictures [batch, height, width, 3] of numbers; in evaluation they are returned as they are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomHue {
  Required<DrawnFactor> factor;
  ValueRange value_range = {0, 255};
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  static constexpr int64_t channels = 3;
  SYSTOLIC_PICTURE_LAYER(RandomHue, factor, value_range, seed)
};

extern template Layer::Layer(RandomHue);

}  // namespace systolic::inline v0
