#include "systolic/nn/layers/preprocessing/pictures/geometry/random_elastic_transform.h"

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/nn/layers/preprocessing/pictures/warps.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandomElasticTransform::changed(const Tensor& x, PictureDraws& draws) const {
  const DrawnFactor::Range probability = factor.range("factor", 0, 1);
  const DrawnFactor::Range strengths = scale.range("scale", 0, 1);
  if (strengths.upper == 0 || probability.upper == 0) return x;
  const Tensor is_stretched = draws.chosen(probability);
  const Shape one_each{x.shape()[0], x.shape()[1], x.shape()[2], 1};
  const Tensor strength = draws.for_all() * (strengths.upper - strengths.lower) + strengths.lower;
  const Distortion distortion{.strength = maximum(strength, 1e-6),
                              .most_strength = strengths.upper,
                              .right = draws.normal(one_each),
                              .down = draws.normal(one_each)};
  const Tensor y =
      where(is_stretched, distorted(x, distortion, interpolation, fill_mode, fill_value), x);
  return clip(y, value_range.low(), value_range.high());
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandomElasticTransform)

}  // namespace systolic::inline v0
