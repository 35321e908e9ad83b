// While training, moves each picture towards gray by a drawn share
// (keras.layers.RandomColorDegeneration).
//
//   RandomColorDegeneration{.factor = {0, 0.5}}
//
// Pictures [batch, height, width, 3] of numbers; in evaluation they are returned as they are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomColorDegeneration {
  Required<DrawnFactor> factor;
  ValueRange value_range = {0, 255};
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  static constexpr int64_t channels = 3;
  SYSTOLIC_PICTURE_LAYER(RandomColorDegeneration, factor, value_range, seed)
};

extern template Layer::Layer(RandomColorDegeneration);

}  // namespace systolic::inline v0
