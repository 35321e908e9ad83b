#include "systolic/nn/layers/preprocessing/pictures/geometry/random_shear.h"

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomShear::changed(const Tensor& x, PictureDraws& draws) const {
  const Tensor side = where(draws.uniform(0, 1) > 0.5, -1.0, 1.0);
  const Tensor down = draws.uniform(y_factor.range("y_factor", -1, 1)) * side;
  const Tensor right = draws.uniform(x_factor.range("x_factor", -1, 1)) * side;
  return transformed(x, shear_of(right, down), interpolation, fill_mode, fill_value);
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomShear)

}  // namespace systolic::inline v0
