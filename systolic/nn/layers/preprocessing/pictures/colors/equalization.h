// While training, spreads the levels of each channel so that all are about as frequent
// (keras.layers.Equalization); as in Keras by the levels of the whole batch.
//
//   Equalization{}
//
// Pictures [batch, height, width, channels] of numbers; in evaluation they are returned as they
// are.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct Equalization {
  ValueRange value_range = {0, 255};
  int64_t bins = 256;

  Tensor changed(const Tensor& x, PictureDraws& draws) const;
  SYSTOLIC_PICTURE_LAYER(Equalization, value_range, bins)
};

extern template Layer::Layer(Equalization);

}  // namespace systolic::inline v0
