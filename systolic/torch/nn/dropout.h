// Dropout (torch.nn.Dropout): in training each element is 0 with probability p, and the others are
// divided by 1 - p. Ordinals draw masks of their own; torch::manual_seed makes them repeat. The
// masks are not PyTorch's, whose devices draw otherwise, too.
#pragma once

#include "systolic/torch/nn/module.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {

class Dropout : public Module<Dropout> {
 public:
  explicit Dropout(double p = 0.5, At at = At::current());
  Tensor forward(const Tensor& x) const;

 private:
  double p_;
};

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
