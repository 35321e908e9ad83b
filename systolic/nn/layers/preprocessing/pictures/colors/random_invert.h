// While training, inverts each picture with a probability that is drawn from a range
// (keras.layers.RandomInvert).
//
//   RandomInvert{.factor = {0.2, 0.2}}                 // a fifth of them
//
// Pictures [batch, height, width, channels] of numbers; in evaluation they are returned as they
// are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomInvert {
  DrawnFactor factor = 1.0;
  ValueRange value_range = {0, 255};
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(RandomInvert, factor, value_range, seed)
};

extern template Layer::Layer(RandomInvert);

}  // namespace systolic::inline v0
