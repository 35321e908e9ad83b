// Gradient descent under PyTorch's rule (torch.optim.SGD):
//
//   g += weight_decay * value;  buffer = momentum * buffer + (1 - dampening) * g  (first step: g)
//   value -= lr * buffer;  nesterov: value -= lr * (g + momentum * buffer)
#pragma once

#include "systolic/torch/optim/optimizer.h"

namespace systolic::inline v0 {
namespace torch {
namespace optim {

struct SGDOptions {
  double lr = 1e-3;         // the learning rate
  double momentum = 0;      // what stays of the buffer at each step; 0: no buffer
  double dampening = 0;     // the share of a gradient that the buffer leaves out
  double weight_decay = 0;  // L2, added to the gradient
  bool nesterov = false;    // looks ahead by the buffer; needs a momentum and no dampening
  bool maximize = false;    // goes up the gradient instead of down
};

class SGD : public Optimizer {
 public:
  explicit SGD(std::vector<Parameter> params, SGDOptions options = {}, At at = At::current());
  explicit SGD(const std::vector<ParamGroup>& groups, SGDOptions options = {},
               At at = At::current());
};

}  // namespace optim
}  // namespace torch
}  // namespace systolic::inline v0
