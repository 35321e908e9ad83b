#include "systolic/nn/layers/preprocessing/pictures/colors/random_color_degeneration.h"

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomColorDegeneration::changed(const Tensor& x, PictureDraws& draws) const {
  const Tensor share = draws.uniform(factor.get().range("factor", -1, 1));
  const Tensor paler = x + share * (gray_of(x) - x);
  return clip(paler, value_range.low(), value_range.high());
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomColorDegeneration)

}  // namespace systolic::inline v0
