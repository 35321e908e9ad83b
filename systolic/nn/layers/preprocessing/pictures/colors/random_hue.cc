#include "systolic/nn/layers/preprocessing/pictures/colors/random_hue.h"

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomHue::changed(const Tensor& x, PictureDraws& draws) const {
  const Tensor turned = where(draws.uniform(0, 1) > 0.5, -1.0, 1.0);
  const Tensor delta = turned * draws.uniform(factor.get().range("factor", 0, 1)) * 0.5;
  const Tensor moved = hue_moved(in_range(x, value_range, {0, 1}), delta);
  return in_range(clip(moved, 0.0, 1.0), {0, 1}, value_range);
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomHue)

}  // namespace systolic::inline v0
