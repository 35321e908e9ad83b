#include "systolic/torch/nn/conv2d.h"

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/torch/nn/init.h"
#include "systolic/trace/ops/contraction.h"

namespace systolic::inline v0 {
namespace torch {
namespace nn {
namespace {

void check_channels(int64_t in_channels, int64_t out_channels, int64_t groups, At at) {
  const bool good = in_channels > 0 && out_channels > 0 && groups > 0 &&
                    in_channels % groups == 0 && out_channels % groups == 0;
  if (good) return;
  raise<InvalidArgument>({.what = str("Conv2d from ", in_channels, " to ", out_channels,
                                      " channels in ", groups, " groups"),
                          .wanted = "channels that are a multiple of the groups",
                          .location = at});
}

}  // namespace

Conv2d::Conv2d(int64_t in_channels, int64_t out_channels, Pair kernel_size, Conv2dOptions options,
               At at)
    : Module("Conv2d", at), options_(options) {
  check_channels(in_channels, out_channels, options.groups, at);
  const Shape shape{out_channels, in_channels / options.groups, kernel_size.height,
                    kernel_size.width};
  weight = register_parameter("weight", init::kaiming_uniform(shape, std::sqrt(5.0)));
  if (!options.bias) return;
  const double bound = 1 / std::sqrt(static_cast<double>(init::fan_in(shape)));
  bias = register_parameter("bias", init::uniform({out_channels}, -bound, bound));
}

Tensor Conv2d::forward(const Tensor& x) const {
  const int64_t channels = weight.shape()[1] * options_.groups;
  if (x.rank() != 4 || x.size(1) != channels) {
    raise<InvalidArgument>({.what = str("input of shape ", x.shape()),
                            .wanted = str("[batch, ", channels, ", height, width]"),
                            .location = location()});
  }
  // The ops have channels last.
  const Tensor pictures = x.permute({0, 2, 3, 1}, location());
  const Tensor kernel = weight.value(location()).permute({2, 3, 1, 0}, location());
  const Pair padding = options_.padding;
  Tensor y =
      convolution(pictures, kernel,
                  {.strides = {options_.stride.height, options_.stride.width},
                   .dilation = {options_.dilation.height, options_.dilation.width},
                   .padding = {{padding.height, padding.height}, {padding.width, padding.width}},
                   .groups = options_.groups},
                  location());
  if (bias.valid()) y = y + bias.value(location());
  return y.permute({0, 3, 1, 2}, location());
}

}  // namespace nn
}  // namespace torch
}  // namespace systolic::inline v0
