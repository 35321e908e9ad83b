// Labels and predictions as f32 of one shape: what the losses over elements start from. Internal to
// nn.
#pragma once

#include <string_view>
#include <utility>

#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {

// Another shape, even after dropping a last axis of size 1, is an InvalidArgument naming `loss`.
std::pair<Tensor, Tensor> float_pair(const Tensor& y_true, const Tensor& y_pred,
                                     std::string_view loss);

// The mean over the last axis; a scalar as it is.
Tensor mean_of_last(const Tensor& losses);

}  // namespace systolic::inline v0
