// How modules of PyTorch begin (torch.nn.init), drawn from the default generator.
#pragma once

#include "systolic/core/literal.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {
namespace init {

// Uniform within sqrt(6 / ((1 + a^2) fan_in)), where fan_in is the elements that make one output:
// all axes but the first (He et al. 2015).
Literal kaiming_uniform(const Shape& shape, double a = 0);
Literal uniform(const Shape& shape, double low, double high);
Literal normal(const Shape& shape, double mean = 0, double stddev = 1);

// The product of all axes but the first.
int64_t fan_in(const Shape& weight);

}  // namespace init
}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
