// Normalization under PyTorch's rules (torch.nn.BatchNorm1d, BatchNorm2d, LayerNorm).
#pragma once

#include <vector>

#include "systolic/torch/nn/module.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {

struct BatchNormOptions {
  double eps = 1e-5;                // added to the variance
  double momentum = 0.1;            // the share of a new batch in the running statistics
  bool affine = true;               // a weight and a bias for each channel
  bool track_running_stats = true;  // false: eval mode uses the batch, too
};

// Over all axes but axis 1, the channels. In training by the batch of this ordinal alone, as in
// PyTorch: ordinals are not synchronized, and each has running statistics of its own. The running
// variance is of the unbiased one (divided by n - 1).
class BatchNorm : public Module<BatchNorm> {
 public:
  BatchNorm(std::string kind, int64_t num_features, BatchNormOptions options, At at);
  Tensor forward(const Tensor& x) const;

  Parameter weight, bias;                                    // (num_features,); without affine none
  Parameter running_mean, running_var, num_batches_tracked;  // buffers

 private:
  void track(const Tensor& mean, const Tensor& variance, double count) const;
  BatchNormOptions options_;
  int64_t features_;
};

// [batch, features] and [batch, features, length].
class BatchNorm1d : public BatchNorm {
 public:
  explicit BatchNorm1d(int64_t num_features, BatchNormOptions options = {}, At at = At::current())
      : BatchNorm("BatchNorm1d", num_features, options, at) {}
};
// [batch, channels, height, width].
class BatchNorm2d : public BatchNorm {
 public:
  explicit BatchNorm2d(int64_t num_features, BatchNormOptions options = {}, At at = At::current())
      : BatchNorm("BatchNorm2d", num_features, options, at) {}
};

// The keyword arguments of torch.nn.LayerNorm.
struct LayerNormOptions {
  double eps = 1e-5;               // added to the variance
  bool elementwise_affine = true;  // a weight, and a bias, for each element
  bool bias = true;                // false: the weight alone
};

// Over the last axes, which have the sizes of normalized_shape.
class LayerNorm : public Module<LayerNorm> {
 public:
  explicit LayerNorm(int64_t normalized_size, LayerNormOptions options = {}, At at = At::current())
      : LayerNorm(std::vector<int64_t>{normalized_size}, options, at) {}
  explicit LayerNorm(std::vector<int64_t> normalized_shape, LayerNormOptions options = {},
                     At at = At::current());
  Tensor forward(const Tensor& x) const;

  Parameter weight, bias;

 private:
  std::vector<int64_t> sizes_;
  LayerNormOptions options_;
};

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
