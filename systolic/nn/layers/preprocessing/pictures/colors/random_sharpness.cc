#include "systolic/nn/layers/preprocessing/pictures/colors/random_sharpness.h"

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomSharpness::changed(const Tensor& x, PictureDraws& draws) const {
  const Tensor times = draws.uniform(factor.get().range("factor", 0, 1)) * 2.0;
  return clip(sharpened(x, times), value_range.low(), value_range.high());
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomSharpness)

}  // namespace systolic::inline v0
