#include "systolic/nn/layers/preprocessing/pictures/mixtures/rand_augment.h"

#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/preprocessing/pictures/define_picture_layer.h"
#include "systolic/nn/layers/preprocessing/pictures/mixtures/augmentations.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor RandAugment::changed(const Tensor& x, PictureDraws& draws) const {
  check_positive("num_ops", num_ops);
  const std::vector<Augmentation> all =
      augmentations_of({factor, value_range, interpolation}, true);
  Tensor y = x;
  for (int64_t i = 0; i < num_ops; ++i) {
    const Tensor number = draws.index_for_all(static_cast<int64_t>(all.size()));
    y = augmented(all, number, y, draws);
  }
  return y;
}

SYSTOLIC_DEFINE_PICTURE_LAYER(RandAugment)

}  // namespace systolic::inline v0
