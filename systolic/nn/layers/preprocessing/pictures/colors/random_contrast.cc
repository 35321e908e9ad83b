#include "systolic/nn/layers/preprocessing/pictures/colors/random_contrast.h"

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomContrast::changed(const Tensor& x, PictureDraws& draws) const {
  const DrawnFactor::Range range = factor.get().range("factor", 0, 1);
  const Tensor drawn = draws.uniform(1 - range.lower, 1 + range.upper);
  return clip(contrast_changed(x, drawn), value_range.low(), value_range.high());
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomContrast)

}  // namespace systolic::inline v0
