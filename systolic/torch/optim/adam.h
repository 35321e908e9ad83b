// Adam and AdamW under PyTorch's rules (torch.optim.Adam, torch.optim.AdamW):
//
//   m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
//   value -= lr / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + eps)
//
// Adam adds weight_decay * value to the gradient first; AdamW takes lr * weight_decay * value from
// the value (Loshchilov and Hutter 2019). amsgrad: the largest v so far.
#pragma once

#include <array>

#include "systolic/torch/optim/optimizer.h"

namespace systolic::inline v0 {
namespace torch {
namespace optim {

// The keyword arguments of torch.optim.Adam.
struct AdamOptions {
  double lr = 1e-3;  // the learning rate
  // b1 and b2 of the formulas: how much of m and of v stays at each step.
  std::array<double, 2> betas = {0.9, 0.999};
  double eps = 1e-8;        // keeps the divisor from 0
  double weight_decay = 0;  // L2, added to the gradient
  bool amsgrad = false;     // divides by the largest v so far
  bool maximize = false;    // goes up the gradient instead of down
};
// The keyword arguments of torch.optim.AdamW.
struct AdamWOptions {
  double lr = 1e-3;  // the learning rate
  // b1 and b2 of the formulas: how much of m and of v stays at each step.
  std::array<double, 2> betas = {0.9, 0.999};
  double eps = 1e-8;           // keeps the divisor from 0
  double weight_decay = 1e-2;  // times lr, taken from the value itself
  bool amsgrad = false;        // divides by the largest v so far
  bool maximize = false;       // goes up the gradient instead of down
};

class Adam : public Optimizer {
 public:
  explicit Adam(std::vector<Parameter> params, AdamOptions options = {}, At at = At::current());
  explicit Adam(const std::vector<ParamGroup>& groups, AdamOptions options = {},
                At at = At::current());
};

class AdamW : public Optimizer {
 public:
  explicit AdamW(std::vector<Parameter> params, AdamWOptions options = {}, At at = At::current());
  explicit AdamW(const std::vector<ParamGroup>& groups, AdamWOptions options = {},
                 At at = At::current());
};

}  // namespace optim
}  // namespace torch
}  // namespace systolic::inline v0
