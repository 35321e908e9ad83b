#include "systolic/nn/layers/preprocessing/pictures/geometry/random_rotation.h"

#include <numbers>

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomRotation::changed(const Tensor& x, PictureDraws& draws) const {
  const DrawnFactor::Range range = factor.get().range("factor", -1, 1);
  const Tensor angle = draws.uniform(range) * (2 * std::numbers::pi);
  const AffineTransform turn = rotation_of(angle, x.shape()[1], x.shape()[2]);
  return transformed(x, turn, interpolation, fill_mode, fill_value);
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomRotation)

}  // namespace systolic::inline v0
