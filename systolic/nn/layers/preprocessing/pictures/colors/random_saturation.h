// While training, makes each picture's colors stronger or weaker (keras.layers.RandomSaturation): a
// drawn factor of 0 is gray, 0.5 leaves them, and 1 is the strongest.
//
//   RandomSaturation{.factor = {0.4, 0.6}}
//
// Pictures [batch, height, width, 3] of numbers; in evaluation they are returned as they are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomSaturation {
  Required<DrawnFactor> factor;
  ValueRange value_range = {0, 255};
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  static constexpr int64_t channels = 3;
  SYSTOLIC_PICTURE_LAYER(RandomSaturation, factor, value_range, seed)
};

extern template Layer::Layer(RandomSaturation);

}  // namespace systolic::inline v0
