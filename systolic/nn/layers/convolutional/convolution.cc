#include "systolic/nn/layers/convolutional/convolution.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/convolutional/convolution_call.h"

namespace systolic::inline v0 {

template <int rank>
Tensor Convolution<rank>::call(const Tensor& x, CallContext& context) const {
  ConvolutionCall call{.window = kernel_window(*this),
                       .filters = filters,
                       .groups = groups,
                       .kernel = {.initializer = kernel_initializer,
                                  .regularizer = kernel_regularizer,
                                  .constraint = kernel_constraint}};
  call.window.takes_causal = rank == 1;
  return with_bias_and_activation(convolve(x, call, context), *this, context);
}

SYSTOLIC_DEFINE_LAYER(Conv1D)
SYSTOLIC_DEFINE_LAYER(Conv2D)
SYSTOLIC_DEFINE_LAYER(Conv3D)

}  // namespace systolic::inline v0
