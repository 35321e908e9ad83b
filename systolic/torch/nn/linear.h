// y = x W^T + b (torch.nn.Linear).
#pragma once

#include "systolic/torch/nn/module.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {

// The keyword arguments of torch.nn.Linear.
struct LinearOptions {
  bool bias = true;  // false: y = x W^T
};

class Linear : public Module<Linear> {
 public:
  // weight (out_features, in_features) and bias (out_features,), both uniform within
  // 1 / sqrt(in_features), drawn from the default generator in this order.
  Linear(int64_t in_features, int64_t out_features, LinearOptions options = {},
         At at = At::current());

  // x [..., in_features] to [..., out_features].
  Tensor forward(const Tensor& x) const;

  Parameter weight, bias;  // bias holds nothing where there is none
};

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
