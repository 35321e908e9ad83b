#include "systolic/nn/layers/preprocessing/pictures/colors/auto_contrast.h"

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor AutoContrast::changed(const Tensor& x) const {
  const Tensor bytes = in_range(x, value_range, {0, 255});
  return in_range(contrast_stretched(bytes), {0, 255}, value_range);
}

SYSTOLIC_DEFINE_PICTURE_LAYER(AutoContrast)

}  // namespace systolic::inline v0
