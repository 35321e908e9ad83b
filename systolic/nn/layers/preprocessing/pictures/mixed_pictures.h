// What MixUp and CutMix have in common. Internal to nn.
#pragma once

#include "systolic/nn/layers/preprocessing/pictures/pictures.h"

namespace systolic::inline v0 {

// Raises unless the inputs are pictures [batch, height, width, channels], or those and labels
// [batch, classes].
void check_mixed(const std::vector<Tensor>& xs);
// share * labels + (1 - share) * the partners' labels; share [batch, 1, 1, 1] or its like.
Tensor mixed_labels(const Tensor& labels, const Tensor& share, const Tensor& partners);

}  // namespace systolic::inline v0
