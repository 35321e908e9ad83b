// Pooling of pictures [batch, channels, height, width] (torch.nn.MaxPool2d, AvgPool2d,
// AdaptiveAvgPool2d).
#pragma once

#include <optional>

#include "systolic/torch/nn/conv2d.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {

struct PoolOptions2d {
  std::optional<Pair> stride = {};  // none: the window
  Pair padding = 0;
};

class MaxPool2d : public Module<MaxPool2d> {
 public:
  explicit MaxPool2d(Pair kernel_size, PoolOptions2d options = {}, At at = At::current())
      : Module("MaxPool2d", at), window_(kernel_size), options_(options) {}
  Tensor forward(const Tensor& x) const;

 private:
  Pair window_;
  PoolOptions2d options_;
};

// Without padding.
class AvgPool2d : public Module<AvgPool2d> {
 public:
  explicit AvgPool2d(Pair kernel_size, std::optional<Pair> stride = {}, At at = At::current())
      : Module("AvgPool2d", at), window_(kernel_size), stride_(stride) {}
  Tensor forward(const Tensor& x) const;

 private:
  Pair window_;
  std::optional<Pair> stride_;
};

// To one number a channel: the only output size there is here.
class AdaptiveAvgPool2d : public Module<AdaptiveAvgPool2d> {
 public:
  explicit AdaptiveAvgPool2d(int64_t output_size, At at = At::current());
  Tensor forward(const Tensor& x) const;
};

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
