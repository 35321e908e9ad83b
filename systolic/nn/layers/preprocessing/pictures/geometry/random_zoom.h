// While training, zooms each picture (keras.layers.RandomZoom): a drawn factor of 0.2 shows a fifth
// more of it, -0.2 a fifth less. Without width_factor the ratio of the sides stays.
//
//   RandomZoom{.height_factor = {-0.2, 0}}
//
// Pictures [batch, height, width, channels] of numbers; in evaluation they are returned as they
// are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomZoom {
  Required<DrawnFactor> height_factor;
  std::optional<DrawnFactor> width_factor = {};
  FillMode fill_mode = "reflect";
  Sampling interpolation = "bilinear";
  std::optional<int64_t> seed = {};  // instead of the model's
  double fill_value = 0.0;

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(RandomZoom, height_factor, width_factor, fill_mode, interpolation, seed,
                         fill_value)
};

extern template Layer::Layer(RandomZoom);

}  // namespace systolic::inline v0
