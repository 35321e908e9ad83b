#include "systolic/nn/layers/preprocessing/pictures/geometry/random_translation.h"

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomTranslation::changed(const Tensor& x, PictureDraws& draws) const {
  const auto size = [&](int axis) { return static_cast<double>(x.shape()[axis]); };
  const Tensor down = draws.uniform(height_factor.get().range("height_factor", -1, 1)) * size(1);
  const Tensor right = draws.uniform(width_factor.get().range("width_factor", -1, 1)) * size(2);
  return transformed(x, translation_of(right, down), interpolation, fill_mode, fill_value);
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomTranslation)

}  // namespace systolic::inline v0
