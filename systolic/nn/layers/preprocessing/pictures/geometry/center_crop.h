// The middle of each picture (keras.layers.CenterCrop), in evaluation as well; a smaller picture is
// resized, bilinear, from the part of it that has the ratio of the sides.
//
//   CenterCrop{.height = 224, .width = 224}
//
// [batch, height, width, channels] of numbers to [batch, .height, .width, channels].
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct CenterCrop {
  Required<int64_t> height;
  Required<int64_t> width;

  Tensor changed(const Tensor& x) const;
  SYSTOLIC_PICTURE_LAYER(CenterCrop, height, width)
};

extern template Layer::Layer(CenterCrop);

}  // namespace systolic::inline v0
