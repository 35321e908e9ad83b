// What the convolution layers have in common. Internal to nn.
#pragma once

#include "systolic/nn/activation.h"
#include "systolic/nn/layer.h"
#include "systolic/nn/layers/window.h"

namespace systolic::inline v0 {

struct ConvolutionCall {
  Window window;
  int64_t filters;
  int64_t groups = 1;
  std::string_view kernel_name = "kernel";
  WeightOptions kernel;
};

// x [batch, spatial..., in] with a kernel [size..., in / groups, filters].
Tensor convolve(const Tensor& x, const ConvolutionCall& call, CallContext& context);

struct DepthwiseCall {
  Window window;
  int64_t depth_multiplier;
  std::string_view kernel_name = "kernel";
  WeightOptions kernel;
};

// Each channel by itself: x [batch, spatial..., in] -> [batch, spatial'..., in * depth_multiplier];
// the kernel is [size..., in, depth_multiplier].
Tensor convolve_depthwise(const Tensor& x, const DepthwiseCall& call, CallContext& context);

// The end of a layer with use_bias, bias_initializer, bias_regularizer and activation.
template <class Spec>
Tensor with_bias_and_activation(const Tensor& y, const Spec& spec, CallContext& context) {
  if (!spec.use_bias) return spec.activation(y);
  return spec.activation(y + context.weight("bias", {y.shape()[-1]},
                                            {.initializer = spec.bias_initializer,
                                             .regularizer = spec.bias_regularizer}));
}

// The whole of Conv1D and Conv2D.
template <class Spec>
Tensor call_convolution(const Spec& spec, const Tensor& x, CallContext& context,
                        bool takes_causal) {
  ConvolutionCall call{
      .window = kernel_window(spec),
      .filters = spec.filters,
      .groups = spec.groups,
      .kernel = {.initializer = spec.kernel_initializer, .regularizer = spec.kernel_regularizer}};
  call.window.takes_causal = takes_causal;
  return with_bias_and_activation(convolve(x, call, context), spec, context);
}

}  // namespace systolic::inline v0
