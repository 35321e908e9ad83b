// While training, keeps the first bits of each value alone, as many as are drawn
// (keras.layers.RandomPosterization): integers from the lower end to below the upper one.
//
//   RandomPosterization{.factor = {3, 6}}
//
// Pictures [batch, height, width, channels] of numbers; in evaluation they are returned as they
// are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomPosterization {
  Required<DrawnFactor> factor;
  ValueRange value_range = {0, 255};
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(RandomPosterization, factor, value_range, seed)
};

extern template Layer::Layer(RandomPosterization);

}  // namespace systolic::inline v0
