// Convolution of pictures in PyTorch's layout (torch.nn.Conv2d).
#pragma once

#include <array>

#include "systolic/torch/nn/module.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {

// One number for both axes, or (height, width).
struct Pair {
  int64_t height, width;
  Pair(int64_t both) : height(both), width(both) {}  // NOLINT: as in Python
  Pair(int64_t h, int64_t w) : height(h), width(w) {}
};

struct Conv2dOptions {
  Pair stride = 1;     // from one window to the next
  Pair padding = 0;    // of zeros, on both sides
  Pair dilation = 1;   // from one element of a window to the next
  int64_t groups = 1;  // groups of channels, each convolved by itself; divides both counts
  bool bias = true;    // false: the products alone
};

class Conv2d : public Module<Conv2d> {
 public:
  // weight (out_channels, in_channels / groups, height, width) and bias (out_channels,), uniform
  // within 1 / sqrt(fan_in). Channels that `groups` does not divide are an InvalidArgument.
  Conv2d(int64_t in_channels, int64_t out_channels, Pair kernel_size, Conv2dOptions options = {},
         At at = At::current());

  // x [batch, in_channels, height, width] to [batch, out_channels, ...].
  Tensor forward(const Tensor& x) const;

  Parameter weight, bias;

 private:
  Conv2dOptions options_;
};

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
