#include "systolic/nn/layers/preprocessing/pictures/colors/solarization.h"

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor Solarization::changed(const Tensor& x, PictureDraws& draws) const {
  // Keras draws from the lower end as it is, and not times 255.
  const auto drawn = [&](const DrawnFactor& given, const char* field_name) {
    const DrawnFactor::Range range = given.range(field_name, 0, 1);
    return draws.uniform(range.lower, range.upper * 255);
  };
  const Tensor additions = drawn(addition_factor, "addition_factor");
  const Tensor thresholds = drawn(threshold_factor, "threshold_factor");
  const Tensor bytes = in_range(x, value_range, {0, 255});
  return in_range(solarized(bytes, additions, thresholds), {0, 255}, value_range);
}

SYSTOLIC_DEFINE_PICTURE_LAYER(Solarization)

}  // namespace systolic::inline v0
