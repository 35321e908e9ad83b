// Norms of weights, for constraints. Internal to nn.
#pragma once

#include <cstdint>
#include <vector>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// The norm along `axis`, which keeps its place with size 1. An axis that the weight does not have
// is an InvalidArgument.
Tensor weight_norm(const Tensor& weight, const std::vector<int64_t>& axis);

// weight * wanted / norm, which is 0 where the norm is.
Tensor with_norm(const Tensor& weight, const Tensor& norm, const Tensor& wanted);

}  // namespace systolic::inline v0
