#include "systolic/nn/layers/preprocessing/pictures/mixtures/mix_up.h"

#include "systolic/base/error.h"
#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/nn/layers/preprocessing/pictures/mixed_pictures.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

std::vector<Tensor> MixUp::changed(const std::vector<Tensor>& xs, PictureDraws& draws) const {
  if (!(alpha > 0)) raise<InvalidArgument>({.what = str("alpha is ", alpha), .wanted = "above 0"});
  const Tensor partners = draws.permutation();
  const Tensor share = draws.beta({xs[0].shape()[0], 1, 1, 1}, fill({}, alpha));
  std::vector<Tensor> result = {share * xs[0] + (1.0 - share) * gather(xs[0], partners)};
  if (xs.size() == 2) result.push_back(mixed_labels(xs[1], share, partners));
  return result;
}

SYSTOLIC_DEFINE_MIXING_LAYER(MixUp)

}  // namespace systolic::inline v0
