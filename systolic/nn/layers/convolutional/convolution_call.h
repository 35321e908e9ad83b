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

// Integers are taken as the layer's compute type.
Tensor in_compute_type(const Tensor& x, CallContext& context);

// y + bias, activated, and the regularizer's penalty of that as a loss.
struct OutputCall {
  bool use_bias;
  WeightOptions bias;
  const Activation& activation;
  Regularizer activity_regularizer;
};
Tensor with_bias_and_activation(const Tensor& y, const OutputCall& call, CallContext& context);

// From the fields of a layer.
template <class Spec>
Tensor with_bias_and_activation(const Tensor& y, const Spec& spec, CallContext& context) {
  return with_bias_and_activation(y,
                                  OutputCall{.use_bias = spec.use_bias,
                                             .bias = {.initializer = spec.bias_initializer,
                                                      .regularizer = spec.bias_regularizer,
                                                      .constraint = spec.bias_constraint},
                                             .activation = spec.activation,
                                             .activity_regularizer = spec.activity_regularizer},
                                  context);
}

}  // namespace systolic::inline v0
