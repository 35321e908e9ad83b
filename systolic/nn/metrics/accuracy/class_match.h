// Whether predictions name the label's class. Internal to nn.
#pragma once

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// 1 where the largest prediction is the label's, else 0: labels [batch, ...] (or [batch, ..., 1]),
// predictions [batch, ..., classes] -> f32 [batch, ...].
Tensor sparse_matches(const Tensor& labels, const Tensor& predictions);
// 1 where fewer than k classes are predicted above the label's.
Tensor top_k_matches(const Tensor& labels, const Tensor& predictions, int64_t k);

}  // namespace systolic::inline v0
