// While training, replaces a box of each picture, at a drawn place and of a drawn size, with a
// value or with noise (keras.layers.RandomErasing; Zhong et al., "Random erasing data
// augmentation", 2020), with a probability that is drawn from `factor`. `scale`: the box's share of
// each side.
//
//   RandomErasing{.factor = {0.5, 0.5}}
//
// Pictures [batch, height, width, channels] of numbers; in evaluation they are returned as they
// are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomErasing {
  DrawnFactor factor = 1.0;
  DrawnFactor scale = {0.02, 0.33};
  std::optional<double> fill_value = {};  // without one, noise
  ValueRange value_range = {0, 255};
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(RandomErasing, factor, scale, fill_value, value_range, seed)
};

extern template Layer::Layer(RandomErasing);

}  // namespace systolic::inline v0
