#include "systolic/nn/layers/preprocessing/pictures/geometry/center_crop.h"

#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/nn/layers/preprocessing/pictures/resize_pictures.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor CenterCrop::changed(const Tensor& x) const {
  check_positive("height", height);
  check_positive("width", width);
  const int64_t rows = x.shape()[1], columns = x.shape()[2];
  if (rows >= height && columns >= width) return middle_box(x, height, width);
  return resized_pictures(x, height, width, {.crop_to_aspect_ratio = true});
}

SYSTOLIC_DEFINE_PICTURE_LAYER(CenterCrop)

}  // namespace systolic::inline v0
