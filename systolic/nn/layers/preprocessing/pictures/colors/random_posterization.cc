#include "systolic/nn/layers/preprocessing/pictures/colors/random_posterization.h"

#include <algorithm>

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomPosterization::changed(const Tensor& x, PictureDraws& draws) const {
  const DrawnFactor::Range range = factor.get().range("factor", 1, 8);
  const double last = std::max(range.upper - 1, range.lower);
  const Tensor bits = minimum(floor(draws.uniform(range)), last);
  const Tensor bytes = in_range(x, value_range, {0, 255});
  return in_range(posterized(bytes, 8.0 - bits), {0, 255}, value_range);
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomPosterization)

}  // namespace systolic::inline v0
