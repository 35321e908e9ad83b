// What the convolution layers have in common: checks, padding, bias, activation. Internal to nn.
#pragma once

#include <vector>

#include "systolic/nn/activation.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/padding.h"

namespace systolic::inline v0 {

struct ConvolutionCall {
  int64_t filters;
  std::vector<int64_t> kernel_size, strides, dilation;  // one a spatial axis
  Padding padding;
  int64_t groups;
};

// (before, after) for each spatial axis of `spatial`; a window that does not fit is an
// InvalidArgument.
std::vector<std::pair<int64_t, int64_t>> spatial_padding(const Shape& spatial,
                                                         const std::vector<int64_t>& window,
                                                         const std::vector<int64_t>& strides,
                                                         const std::vector<int64_t>& dilation,
                                                         Padding padding);

// x [batch, spatial..., in]. `kernel_name` is the weight's name.
Tensor convolve(const Tensor& x, const ConvolutionCall& call, CallContext& context,
                const WeightOptions& kernel, std::string_view kernel_name = "kernel");

struct BiasActivation {
  bool use_bias;
  int64_t filters;
  WeightOptions bias;
  const Activation& activation;
};
Tensor with_bias_and_activation(const Tensor& y, const BiasActivation& last, CallContext& context);

// The axes' names for messages, by the number of spatial axes: "[batch, height, width, channels]".
const char* image_axes(size_t spatial);

}  // namespace systolic::inline v0
