// While training, moves each picture's values away from their mean, or towards it
// (keras.layers.RandomContrast): by a factor from 1 - lower to 1 + upper.
//
//   RandomContrast{.factor = {0.3, 0.3}}               // 0.7 to 1.3; the number 0.3: 1 to 1.3
//
// Pictures [batch, height, width, channels] of numbers; in evaluation they are returned as they
// are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomContrast {
  Required<DrawnFactor> factor;
  ValueRange value_range = {0, 255};
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(RandomContrast, factor, value_range, seed)
};

extern template Layer::Layer(RandomContrast);

}  // namespace systolic::inline v0
