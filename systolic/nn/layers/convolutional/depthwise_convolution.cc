#include "systolic/nn/layers/convolutional/depthwise_convolution.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/convolutional/convolution_call.h"

namespace systolic::inline v0 {

template <int rank>
Tensor DepthwiseConvolution<rank>::call(const Tensor& x, CallContext& context) const {
  const Tensor y = convolve_depthwise(x,
                                      {.window = kernel_window(*this),
                                       .depth_multiplier = depth_multiplier,
                                       .kernel = {.initializer = depthwise_initializer,
                                                  .regularizer = depthwise_regularizer,
                                                  .constraint = depthwise_constraint}},
                                      context);
  return with_bias_and_activation(y, *this, context);
}

SYSTOLIC_DEFINE_LAYER(DepthwiseConv1D)
SYSTOLIC_DEFINE_LAYER(DepthwiseConv2D)

}  // namespace systolic::inline v0
