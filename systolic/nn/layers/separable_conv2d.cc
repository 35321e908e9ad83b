#include "systolic/nn/layers/separable_conv2d.h"

#include "systolic/nn/layers/convolution_call.h"
#include "systolic/nn/layers/depthwise_call.h"

namespace systolic::inline v0 {

Tensor SeparableConv2D::call(const Tensor& x, CallContext& context) const {
  const Size2 kernel = kernel_size;
  const Tensor each = convolve_depthwise(
      x,
      {.kernel_size = {kernel.height, kernel.width},
       .strides = {strides.height, strides.width},
       .dilation = {dilation_rate.height, dilation_rate.width},
       .padding = padding,
       .depth_multiplier = depth_multiplier},
      context, "depthwise_kernel",
      {.initializer = depthwise_initializer, .regularizer = depthwise_regularizer});
  const Tensor y = convolve(
      each,
      {.filters = filters,
       .kernel_size = {1, 1},
       .strides = {1, 1},
       .dilation = {1, 1},
       .padding = "valid",
       .groups = 1},
      context, {.initializer = pointwise_initializer, .regularizer = pointwise_regularizer},
      "pointwise_kernel");
  return with_bias_and_activation(
      y,
      {use_bias,
       filters,
       {.initializer = bias_initializer, .regularizer = bias_regularizer},
       activation},
      context);
}

}  // namespace systolic::inline v0
