#include "systolic/nn/layers/depthwise_conv2d.h"

#include "systolic/nn/layers/convolution_call.h"
#include "systolic/nn/layers/depthwise_call.h"

namespace systolic::inline v0 {

Tensor DepthwiseConv2D::call(const Tensor& x, CallContext& context) const {
  const Size2 kernel = kernel_size;
  const Tensor y = convolve_depthwise(
      x,
      {.kernel_size = {kernel.height, kernel.width},
       .strides = {strides.height, strides.width},
       .dilation = {dilation_rate.height, dilation_rate.width},
       .padding = padding,
       .depth_multiplier = depth_multiplier},
      context, "kernel",
      {.initializer = depthwise_initializer, .regularizer = depthwise_regularizer});
  return with_bias_and_activation(
      y,
      {use_bias,
       y.shape()[-1],
       {.initializer = bias_initializer, .regularizer = bias_regularizer},
       activation},
      context);
}

}  // namespace systolic::inline v0
