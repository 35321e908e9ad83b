#include "systolic/nn/layers/preprocessing/pictures/geometry/resizing.h"

#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/nn/layers/preprocessing/pictures/resize_pictures.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor Resizing::changed(const Tensor& x) const {
  check_positive("height", height);
  check_positive("width", width);
  return resized_pictures(x, height, width,
                          {.interpolation = interpolation,
                           .antialias = antialias,
                           .crop_to_aspect_ratio = crop_to_aspect_ratio,
                           .pad_to_aspect_ratio = pad_to_aspect_ratio,
                           .fill_value = fill_value});
}

SYSTOLIC_DEFINE_PICTURE_LAYER(Resizing, {"fill_mode", "\"constant\""})

}  // namespace systolic::inline v0
