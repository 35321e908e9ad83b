#include "systolic/nn/layers/preprocessing/pictures/geometry/random_crop.h"

#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/nn/layers/preprocessing/pictures/resize_pictures.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomCrop::in_evaluation(const Tensor& x) const {
  check_positive("height", height);
  check_positive("width", width);
  if (x.shape()[1] < height || x.shape()[2] < width)
    return resized_pictures(x, height, width, {.crop_to_aspect_ratio = true});
  return middle_box(x, height, width);
}

Tensor RandomCrop::changed(const Tensor& x, PictureDraws& draws) const {
  const int64_t rows = x.shape()[1] - height, columns = x.shape()[2] - width;
  if (rows <= 0 || columns <= 0) return in_evaluation(x);
  const auto place = [&](int64_t most) {
    return cast(floor(draws.for_all() * static_cast<double>(most + 1)), DType::i32);
  };
  const Tensor top = place(rows), left = place(columns);
  return box_at(x, top, left, height, width);
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomCrop)

}  // namespace systolic::inline v0
