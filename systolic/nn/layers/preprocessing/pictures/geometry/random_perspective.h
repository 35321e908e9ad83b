// While training, shows each picture as from another side (keras.layers.RandomPerspective), with a
// probability that is drawn from `factor`: its corners but the first move by up to half of `scale`
// of the sides.
//
//   RandomPerspective{.factor = {0.5, 0.5}, .scale = 0.4}
//
// Pictures [batch, height, width, channels] of numbers; in evaluation they are returned as they
// are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomPerspective {
  DrawnFactor factor = 1.0;
  double scale = 1.0;
  Sampling interpolation = "bilinear";
  double fill_value = 0.0;
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(RandomPerspective, factor, scale, interpolation, fill_value, seed)
};

extern template Layer::Layer(RandomPerspective);

}  // namespace systolic::inline v0
