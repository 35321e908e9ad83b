// Stretches each channel of each picture to the whole value range (keras.layers.AutoContrast), in
// evaluation as well. A channel of one value stays.
//
//   AutoContrast{}
//
// Pictures [batch, height, width, channels] of numbers.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct AutoContrast {
  ValueRange value_range = {0, 255};

  Tensor changed(const Tensor& x) const;
  SYSTOLIC_PICTURE_LAYER(AutoContrast, value_range)
};

extern template Layer::Layer(AutoContrast);

}  // namespace systolic::inline v0
