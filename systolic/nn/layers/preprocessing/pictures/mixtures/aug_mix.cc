#include "systolic/nn/layers/preprocessing/pictures/mixtures/aug_mix.h"

#include "systolic/base/error.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/nn/layers/preprocessing/pictures/mixtures/augmentations.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor AugMix::changed(const Tensor& x, PictureDraws& draws) const {
  check_positive("num_chains", num_chains);
  check_positive("chain_depth", chain_depth);
  if (!(alpha > 0)) raise<InvalidArgument>({.what = str("alpha is ", alpha), .wanted = "above 0"});
  const std::vector<Augmentation> all =
      augmentations_of({factor, value_range, interpolation}, all_ops);
  const Tensor drawn_alpha = fill({}, alpha);
  const Tensor shares = softmax(draws.log_gamma({num_chains}, drawn_alpha));
  Tensor mixed = zeros_like(x);
  for (int64_t chain = 0; chain < num_chains; ++chain) {
    Tensor y = x;
    for (int64_t step = 0; step < chain_depth; ++step) {
      // The last number stands for no change.
      const Tensor number = draws.index_for_all(static_cast<int64_t>(all.size()) + 1);
      const auto stream = static_cast<uint64_t>(chain * chain_depth + step) << 8;
      y = augmented(all, number, y, draws.stream(stream));
    }
    mixed = mixed + y * shares[{chain}];
  }
  const Tensor own = draws.beta({}, drawn_alpha);
  return clip(own * x + (1.0 - own) * mixed, value_range.low(), value_range.high());
}

SYSTOLIC_DEFINE_PICTURE_LAYER(AugMix)

}  // namespace systolic::inline v0
