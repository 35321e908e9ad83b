#include "systolic/nn/layers/preprocessing/pictures/mixtures/cut_mix.h"

#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/nn/layers/preprocessing/pictures/mixed_pictures.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

std::vector<Tensor> CutMix::changed(const std::vector<Tensor>& xs, PictureDraws& draws) const {
  const Shape sizes{xs[0].shape()[0], xs[0].shape()[1], xs[0].shape()[2], 1};
  const DrawnFactor::Range range = factor.range("factor", 0, 1);
  const Tensor alpha = draws.for_all() * (range.upper - range.lower) + (range.lower + 1e-6);
  const Tensor side = sqrt(1.0 - draws.beta({sizes[0], 1, 1, 1}, alpha));
  Tensor taken = ones({sizes[0], 1, 1, 1});  // the box's area, as a share
  Tensor inside = fill(sizes, 1, DType::pred);
  for (const int axis : {2, 1}) {
    const auto size = static_cast<double>(sizes[axis]);
    const Tensor length = side * size, begin = draws.uniform(0, 1) * (size - length);
    const Tensor place = iota(sizes, axis, DType::f32);
    inside = inside & (place >= begin) & (place < begin + length);
    taken = taken * side;
  }
  const Tensor partners = draws.permutation();
  std::vector<Tensor> result = {where(inside, gather(xs[0], partners), xs[0])};
  if (xs.size() == 2) result.push_back(mixed_labels(xs[1], 1.0 - taken, partners));
  return result;
}

SYSTOLIC_DEFINE_MIXING_LAYER(CutMix)

}  // namespace systolic::inline v0
