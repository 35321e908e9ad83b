#include "systolic/nn/layers/conv1d.h"

#include "systolic/nn/layers/convolution_call.h"

namespace systolic::inline v0 {

Tensor Conv1D::call(const Tensor& x, CallContext& context) const {
  const Tensor y =
      convolve(x,
               {.filters = filters,
                .kernel_size = {kernel_size},
                .strides = {strides},
                .dilation = {dilation_rate},
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
