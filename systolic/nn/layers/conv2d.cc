#include "systolic/nn/layers/conv2d.h"

#include "systolic/base/error.h"
#include "systolic/nn/layers/convolution_call.h"

namespace systolic::inline v0 {

Tensor Conv2D::call(const Tensor& x, CallContext& context) const {
  if (padding.is("causal")) {
    raise<InvalidArgument>({.what = "padding is 'causal'", .wanted = "'valid' or 'same'"});
  }
  const Size2 kernel = kernel_size;
  const Tensor y =
      convolve(x,
               {.filters = filters,
                .kernel_size = {kernel.height, kernel.width},
                .strides = {strides.height, strides.width},
                .dilation = {dilation_rate.height, dilation_rate.width},
                .padding = padding,
                .groups = groups},
               context, {.initializer = kernel_initializer, .regularizer = kernel_regularizer});
  return with_bias_and_activation(
      y,
      {use_bias,
       filters,
       {.initializer = bias_initializer, .regularizer = bias_regularizer},
       activation},
      context);
}

}  // namespace systolic::inline v0
