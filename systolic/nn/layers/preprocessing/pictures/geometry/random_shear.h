// While training, moves the rows of each picture to the side and its columns up or down, the
// further the more (keras.layers.RandomShear): by a drawn share of the way, with one sign for both.
//
//   RandomShear{.x_factor = {0, 0.3}, .y_factor = 0.1}     // 0.1: from -0.1 to 0.1
//
// Pictures [batch, height, width, channels] of numbers; in evaluation they are returned as they
// are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct RandomShear {
  DrawnFactor x_factor = 0.0;
  DrawnFactor y_factor = 0.0;
  Sampling interpolation = "bilinear";
  FillMode fill_mode = "reflect";
  double fill_value = 0.0;
  std::optional<int64_t> seed = {};  // instead of the model's

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(RandomShear, x_factor, y_factor, interpolation, fill_mode, fill_value,
                         seed)
};

extern template Layer::Layer(RandomShear);

}  // namespace systolic::inline v0
