#include "systolic/torch/nn/normalization.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/torch/autograd.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {
namespace {

// Of (channels,), in the shape that broadcasts over an input of that rank.
systolic::Tensor along_channels(const Tensor& x, int rank, At at) {
  std::vector<int64_t> sizes(static_cast<size_t>(rank), 1);
  sizes[1] = x.numel();
  return x.view(std::move(sizes), at);
}

}  // namespace

BatchNorm::BatchNorm(std::string kind, int64_t num_features, BatchNormOptions options, At at)
    : Module(std::move(kind), at), options_(options), features_(num_features) {
  const Shape shape{num_features};
  if (options.affine) {
    weight = register_parameter("weight", Literal::filled(DType::f32, shape, 1));
    bias = register_parameter("bias", Literal::zeros(DType::f32, shape));
  }
  if (!options.track_running_stats) return;
  running_mean = register_buffer("running_mean", Literal::zeros(DType::f32, shape));
  running_var = register_buffer("running_var", Literal::filled(DType::f32, shape, 1));
  num_batches_tracked = register_buffer("num_batches_tracked", Literal::scalar<int64_t>(0));
}

void BatchNorm::track(const Tensor& mean, const Tensor& variance, double count) const {
  const no_grad guard;
  const double share = options_.momentum, unbiased = count / std::max(count - 1, 1.0);
  const auto moved = [&](const Parameter& running, const systolic::Tensor& now) {
    running.assign((1 - share) * running.value() + share * stop_gradient(now), location());
  };
  moved(running_mean, mean);
  moved(running_var, variance * unbiased);
  num_batches_tracked.assign(num_batches_tracked.value() + 1, location());
}

Tensor BatchNorm::forward(const Tensor& x) const {
  if (x.rank() < 2 || x.rank() > 4 || x.size(1) != features_) {
    raise<InvalidArgument>({.what = str("input of shape ", x.shape()),
                            .wanted = str("[batch, ", features_, ", ...]"),
                            .location = location()});
  }
  const At at = location();
  Tensor mean, variance;
  if (is_training() || !options_.track_running_stats) {
    std::vector<int> axes;
    for (int axis = 0; axis < x.rank(); ++axis) {
      if (axis != 1) axes.push_back(axis);
    }
    mean = systolic::mean(x, {.axis = axes}, at);
    variance = systolic::variance(x, {.axis = axes}, at);
    const double count = static_cast<double>(x.numel()) / static_cast<double>(features_);
    if (is_training() && options_.track_running_stats) track(mean, variance, count);
  } else {
    mean = running_mean.value(at);
    variance = running_var.value(at);
  }
  const auto wide = [&](const Tensor& value) { return along_channels(value, x.rank(), at); };
  const systolic::Tensor scale = rsqrt(wide(variance) + options_.eps);
  const systolic::Tensor y = (x - wide(mean)) * scale;
  if (!options_.affine) return y;
  return y * wide(weight.value(at)) + wide(bias.value(at));
}

LayerNorm::LayerNorm(std::vector<int64_t> normalized_shape, LayerNormOptions options, At at)
    : Module("LayerNorm", at), sizes_(std::move(normalized_shape)), options_(options) {
  if (!options.elementwise_affine) return;
  weight = register_parameter("weight", Literal::filled(DType::f32, Shape(sizes_), 1));
  if (options.bias) bias = register_parameter("bias", Literal::zeros(DType::f32, Shape(sizes_)));
}

Tensor LayerNorm::forward(const Tensor& x) const {
  const At at = location();
  const int count = static_cast<int>(sizes_.size());
  const bool fits =
      x.rank() >= count && x.shape().slice(x.rank() - count, x.rank()) == Shape(sizes_);
  if (!fits) {
    raise<InvalidArgument>({.what = str("input of shape ", x.shape()),
                            .wanted = str("one that ends in ", Shape(sizes_)),
                            .location = at});
  }
  std::vector<int> axes;
  for (int i = 1; i <= count; ++i) axes.push_back(-i);
  const systolic::Tensor centered = x - mean(x, {.axis = axes, .keepdims = true}, at);
  const systolic::Tensor spread = mean(square(centered), {.axis = axes, .keepdims = true}, at);
  systolic::Tensor y = centered * rsqrt(spread + options_.eps);
  if (weight.valid()) y = y * weight.value(at);
  return bias.valid() ? y + bias.value(at) : y;
}

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
