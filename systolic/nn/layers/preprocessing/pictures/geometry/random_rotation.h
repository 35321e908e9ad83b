// While training, turns each picture around its middle (keras.layers.RandomRotation): by a drawn
// part of a whole turn; 0.1 is up to 36 degrees to either side.
//
//   RandomRotation{.factor = 0.1}
//
// Pictures [batch, height, width, channels] of numbers; in evaluation they are returned as they
// are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomRotation {
  Required<DrawnFactor> factor;
  FillMode fill_mode = "reflect";
  Sampling interpolation = "bilinear";
  std::optional<int64_t> seed = {};  // instead of the model's
  double fill_value = 0.0;

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(RandomRotation, factor, fill_mode, interpolation, seed, fill_value)
};

extern template Layer::Layer(RandomRotation);

}  // namespace systolic::inline v0
