// While training, blurs or sharpens each picture (keras.layers.RandomSharpness): a drawn factor of
// 0 is a filter of 3 x 3, 0.5 leaves the picture, 1 sharpens.
//
//   RandomSharpness{.factor = {0.3, 0.7}}
//
// Pictures [batch, height, width, channels] of numbers; in evaluation they are returned as they
// are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomSharpness {
  Required<DrawnFactor> factor;
  ValueRange value_range = {0, 255};
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(RandomSharpness, factor, value_range, seed)
};

extern template Layer::Layer(RandomSharpness);

}  // namespace systolic::inline v0
