#include "systolic/nn/layers/preprocessing/pictures/colors/random_saturation.h"

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomSaturation::changed(const Tensor& x, PictureDraws& draws) const {
  const Tensor drawn = draws.uniform(factor.get().range("factor", 0, 1));
  const Tensor times = drawn / (1.0 - drawn + 1e-7);
  return saturation_changed(x, times, value_range);
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomSaturation)

}  // namespace systolic::inline v0
