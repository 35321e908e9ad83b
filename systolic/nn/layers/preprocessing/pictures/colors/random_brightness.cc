#include "systolic/nn/layers/preprocessing/pictures/colors/random_brightness.h"

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomBrightness::changed(const Tensor& x, PictureDraws& draws) const {
  const double span = value_range.high() - value_range.low();
  const Tensor delta = draws.uniform(factor.get().range("factor", -1, 1)) * span;
  return clip(x + delta, value_range.low(), value_range.high());
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomBrightness)

}  // namespace systolic::inline v0
