// While training, moves each picture by drawn shares of its height and width
// (keras.layers.RandomTranslation); positive ones are down and to the right.
//
//   RandomTranslation{.height_factor = 0.1, .width_factor = 0.1}
//
// Pictures [batch, height, width, channels] of numbers; in evaluation they are returned as they
// are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomTranslation {
  Required<DrawnFactor> height_factor;
  Required<DrawnFactor> width_factor;
  FillMode fill_mode = "reflect";
  Sampling interpolation = "bilinear";
  std::optional<int64_t> seed = {};  // instead of the model's
  double fill_value = 0.0;

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(RandomTranslation, height_factor, width_factor, fill_mode, interpolation,
                         seed, fill_value)
};

extern template Layer::Layer(RandomTranslation);

}  // namespace systolic::inline v0
