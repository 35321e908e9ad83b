#include "systolic/nn/layers/convolutional/separable_conv2d.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/convolutional/convolution_call.h"

namespace systolic::inline v0 {

Tensor SeparableConv2D::call(const Tensor& x, CallContext& context) const {
  const Tensor each = convolve_depthwise(
      x,
      {.window = kernel_window(*this),
       .depth_multiplier = depth_multiplier,
       .kernel_name = "depthwise_kernel",
       .kernel = {.initializer = depthwise_initializer, .regularizer = depthwise_regularizer}},
      context);
  const Window one{.size = {1, 1},
                   .strides = {1, 1},
                   .dilation = {1, 1},
                   .padding = "valid",
                   .size_field = "kernel_size"};
  const Tensor y = convolve(
      each,
      {.window = one,
       .filters = filters,
       .kernel_name = "pointwise_kernel",
       .kernel = {.initializer = pointwise_initializer, .regularizer = pointwise_regularizer}},
      context);
  return with_bias_and_activation(y, *this, context);
}

SYSTOLIC_DEFINE_LAYER(SeparableConv2D)

}  // namespace systolic::inline v0
