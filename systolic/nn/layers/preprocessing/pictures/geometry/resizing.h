// Pictures in another size (keras.layers.Resizing), in evaluation as well.
//
//   Resizing{.height = 224, .width = 224}
//   Resizing{.height = 224, .width = 224, .pad_to_aspect_ratio = true}     // nothing is stretched
//
// [batch, height, width, channels] of numbers to [batch, .height, .width, channels]. Not both of
// crop_to_aspect_ratio, which cuts to the ratio of the new sides first, and pad_to_aspect_ratio,
// which adds fill_value.
#pragma once

#include "systolic/nn/config/interpolation.h"
#include "systolic/nn/layers/preprocessing/pictures/picture_layer.h"

namespace systolic::inline v0 {

struct Resizing {
  Required<int64_t> height;
  Required<int64_t> width;
  Interpolation interpolation = "bilinear";
  bool crop_to_aspect_ratio = false;
  bool pad_to_aspect_ratio = false;
  double fill_value = 0.0;
  bool antialias = false;

  Tensor changed(const Tensor& x) const;
  SYSTOLIC_PICTURE_LAYER(Resizing, height, width, interpolation, crop_to_aspect_ratio,
                         pad_to_aspect_ratio, fill_value, antialias)
};

extern template Layer::Layer(Resizing);

}  // namespace systolic::inline v0
