// While training, stretches each picture as if it were of rubber
// (keras.layers.RandomElasticTransform), with a probability that is drawn from `factor`. How much
// is drawn from `scale` for the whole batch.
//
//   RandomElasticTransform{.scale = {0.3, 0.8}}
//
// Keras moves each pixel as far down as to the right; here they are two numbers. Its fill mode
// "mirror" is not known.
// Pictures [batch, height, width, channels] of numbers; in evaluation they are returned as they
// are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomElasticTransform {
  DrawnFactor factor = 1.0;
  DrawnFactor scale = 1.0;
  Sampling interpolation = "bilinear";
  FillMode fill_mode = "reflect";
  double fill_value = 0.0;
  ValueRange value_range = {0, 255};
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(RandomElasticTransform, factor, scale, interpolation, fill_mode,
                         fill_value, value_range, seed)
};

extern template Layer::Layer(RandomElasticTransform);

}  // namespace systolic::inline v0
