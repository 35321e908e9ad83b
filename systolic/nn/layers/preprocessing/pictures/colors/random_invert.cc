#include "systolic/nn/layers/preprocessing/pictures/colors/random_invert.h"

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomInvert::changed(const Tensor& x, PictureDraws& draws) const {
  const Tensor inverted = value_range.high() - x;
  return where(draws.chosen(factor.range("factor", 0, 1)), inverted, x);
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomInvert)

}  // namespace systolic::inline v0
