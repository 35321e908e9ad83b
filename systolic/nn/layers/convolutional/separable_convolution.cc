#include "systolic/nn/layers/convolutional/separable_convolution.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/convolutional/convolution_call.h"

namespace systolic::inline v0 {
namespace {

// A kernel of one element.
Window pointwise_window(size_t rank) {
  const std::vector<int64_t> ones(rank, 1);
  return {.size = ones,
          .strides = ones,
          .dilation = ones,
          .padding = "valid",
          .size_field = "kernel_size"};
}

}  // namespace

template <int rank>
Tensor SeparableConvolution<rank>::call(const Tensor& x, CallContext& context) const {
  const Tensor each = convolve_depthwise(x,
                                         {.window = kernel_window(*this),
                                          .depth_multiplier = depth_multiplier,
                                          .kernel_name = "depthwise_kernel",
                                          .kernel = {.initializer = depthwise_initializer,
                                                     .regularizer = depthwise_regularizer,
                                                     .constraint = depthwise_constraint}},
                                         context);
  const Tensor y = convolve(each,
                            {.window = pointwise_window(rank),
                             .filters = filters,
                             .kernel_name = "pointwise_kernel",
                             .kernel = {.initializer = pointwise_initializer,
                                        .regularizer = pointwise_regularizer,
                                        .constraint = pointwise_constraint}},
                            context);
  return with_bias_and_activation(y, *this, context);
}

SYSTOLIC_DEFINE_LAYER(SeparableConv1D)
SYSTOLIC_DEFINE_LAYER(SeparableConv2D)

}  // namespace systolic::inline v0
