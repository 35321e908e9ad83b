// While training, adds a random share of the value range to each picture
// (keras.layers.RandomBrightness).
//
//   RandomBrightness{.factor = 0.2}                    // by up to a fifth of 255, up or down
//
// Pictures [batch, height, width, channels] of numbers; in evaluation they are returned as they
// are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomBrightness {
  Required<DrawnFactor> factor;
  ValueRange value_range = {0, 255};
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(RandomBrightness, factor, value_range, seed)
};

extern template Layer::Layer(RandomBrightness);

}  // namespace systolic::inline v0
