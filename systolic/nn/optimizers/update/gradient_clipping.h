// Limits gradients as Keras's optimizers do. Internal to nn.
#pragma once

#include <vector>

#include "systolic/nn/optimizers/optimizer.h"

namespace systolic::inline v0 {

std::vector<Tensor> clipped(const std::vector<Tensor>& gradients, const GradientClipping& clipping);

}  // namespace systolic::inline v0
