#include "systolic/torch/nn/pooling.h"

#include "systolic/base/error.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {
namespace {

Tensor channels_last(const Tensor& x, At at) {
  if (x.rank() == 4) return x.permute({0, 2, 3, 1}, at);
  raise<InvalidArgument>({.what = str("input of shape ", x.shape()),
                          .wanted = "[batch, channels, height, width]",
                          .location = at});
}

PoolOptions pool_options(Pair window, std::optional<Pair> stride, Pair padding) {
  const Pair step = stride.value_or(window);
  return {.window = {window.height, window.width},
          .strides = {step.height, step.width},
          .padding = {{padding.height, padding.height}, {padding.width, padding.width}}};
}

}  // namespace

Tensor MaxPool2d::forward(const Tensor& x) const {
  const PoolOptions options = pool_options(window_, options_.stride, options_.padding);
  const Tensor y = max_pool(channels_last(x, location()), options, location());
  return y.permute({0, 3, 1, 2}, location());
}

Tensor AvgPool2d::forward(const Tensor& x) const {
  const PoolOptions options = pool_options(window_, stride_, 0);
  const Tensor y = average_pool(channels_last(x, location()), options, location());
  return y.permute({0, 3, 1, 2}, location());
}

AdaptiveAvgPool2d::AdaptiveAvgPool2d(int64_t output_size, At at) : Module("AdaptiveAvgPool2d", at) {
  if (output_size == 1) return;
  raise<Unimplemented>({.what = str("AdaptiveAvgPool2d to ", output_size),
                        .wanted = "1",
                        .hint = "AvgPool2d, with the window that gives this size",
                        .location = at});
}

Tensor AdaptiveAvgPool2d::forward(const Tensor& x) const {
  return mean(x, {.axis = {-2, -1}, .keepdims = true}, location());
}

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
