#include "systolic/nn/layers/convolutional/convolution_call.h"

#include "systolic/base/error.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

void check_groups(const ConvolutionCall& call, int64_t channels, const Shape& shape) {
  check_positive("groups", call.groups);
  if (channels % call.groups != 0) {
    raise<InvalidArgument>(
        {.what = str("groups is ", call.groups, " for ", channels, " input channels ", shape),
         .wanted = "a divisor of the channels"});
  }
  if (call.filters % call.groups != 0) {
    raise<InvalidArgument>(
        {.what = str("groups is ", call.groups, " for ", call.filters, " filters"),
         .wanted = "a divisor of the filters"});
  }
}

Shape kernel_shape(const Window& window, int64_t before_last, int64_t last) {
  std::vector<int64_t> sizes = window.size;
  sizes.push_back(before_last);
  sizes.push_back(last);
  return Shape(sizes);
}

Tensor windowed(const Tensor& x, const Tensor& kernel, const Window& window, int64_t groups,
                CallContext& context) {
  return convolution(in_compute_type(x, context), kernel,
                     {.strides = window.strides,
                      .dilation = window.dilation,
                      .padding = spatial_padding(x, window),
                      .groups = groups});
}

}  // namespace

Tensor in_compute_type(const Tensor& x, CallContext& context) {
  return is_float(x.dtype()) ? x : cast(x, context.compute_dtype());
}

Tensor with_bias_and_activation(const Tensor& y, const OutputCall& call, CallContext& context) {
  const Tensor shifted = call.use_bias ? y + context.weight("bias", {y.shape()[-1]}, call.bias) : y;
  const Tensor result = call.activation(shifted);
  if (!call.activity_regularizer.is_none()) {
    context.add_loss(mean_over_examples(call.activity_regularizer, result, context.sample_mask()));
  }
  return result;
}

Tensor convolve(const Tensor& x, const ConvolutionCall& call, CallContext& context) {
  check_positive("filters", call.filters);
  check_window(x, call.window);
  const int64_t channels = x.shape()[-1];
  check_groups(call, channels, x.shape());
  const Tensor kernel =
      context.weight(call.kernel_name,
                     kernel_shape(call.window, channels / call.groups, call.filters), call.kernel);
  return windowed(x, kernel, call.window, call.groups, context);
}

Tensor convolve_depthwise(const Tensor& x, const DepthwiseCall& call, CallContext& context) {
  check_positive("depth_multiplier", call.depth_multiplier);
  check_window(x, call.window);
  const int64_t channels = x.shape()[-1];
  const Tensor kernel = context.weight(
      call.kernel_name, kernel_shape(call.window, channels, call.depth_multiplier), call.kernel);
  // As one group a channel, a kernel's last axes are [1, channels * multiplier].
  const Shape grouped = kernel_shape(call.window, 1, channels * call.depth_multiplier);
  return windowed(x, reshape(kernel, grouped), call.window, channels, context);
}

}  // namespace systolic::inline v0
