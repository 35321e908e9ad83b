#include "systolic/nn/layers/convolutional/transposed_convolution.h"

#include <algorithm>

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/convolutional/convolution_call.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// (before, after) of the dilated input on one axis; `reach` is that of the dilated kernel.
std::pair<int64_t, int64_t> transposed_padding(int64_t reach, int64_t stride, Padding padding,
                                               std::optional<int64_t> output_padding) {
  if (padding.is("valid")) {
    const int64_t rest = output_padding.value_or(std::max(reach, stride) - reach);
    return {reach - 1, reach - 1 + rest};
  }
  const int64_t total =
      output_padding ? reach + reach % 2 - 2 + *output_padding : stride + reach - 2;
  const int64_t before = std::min((total + 1) / 2, reach - 1);
  return {before, total - before};
}

void check_transposed(const Window& window, const std::vector<int64_t>& output_padding) {
  const auto largest = [](const std::vector<int64_t>& sizes) {
    return *std::max_element(sizes.begin(), sizes.end());
  };
  if (largest(window.strides) > 1 && largest(window.dilation) > 1) {
    raise<InvalidArgument>({.what = str("strides of ", largest(window.strides),
                                        " and a dilation_rate of ", largest(window.dilation)),
                            .wanted = "one of them to be 1"});
  }
  for (size_t i = 0; i < output_padding.size(); ++i) {
    if (output_padding[i] >= 0 && output_padding[i] < window.strides[i]) continue;
    raise<InvalidArgument>({.what = str("output_padding is ", output_padding[i],
                                        " with strides of ", window.strides[i]),
                            .wanted = str("from 0 to ", window.strides[i] - 1)});
  }
}

Tensor convolve_transposed(const Tensor& x, const ConvolutionCall& call,
                           const std::vector<int64_t>& output_padding, CallContext& context) {
  const Window& window = call.window;
  const auto rank = static_cast<int>(window.size.size());
  check_positive("filters", call.filters);
  check_window(x, window);
  check_transposed(window, output_padding);
  std::vector<std::pair<int64_t, int64_t>> padding;
  std::vector<int> spatial, order;
  for (int i = 0; i < rank; ++i) {
    const auto axis = static_cast<size_t>(i);
    const int64_t reach = (window.size[axis] - 1) * window.dilation[axis] + 1;
    padding.push_back(transposed_padding(
        reach, window.strides[axis], window.padding,
        output_padding.empty() ? std::nullopt : std::optional(output_padding[axis])));
    spatial.push_back(i);
    order.push_back(i);
  }
  order.insert(order.end(), {rank + 1, rank});
  std::vector<int64_t> sizes = window.size;
  sizes.insert(sizes.end(), {call.filters, x.shape()[-1]});
  const Tensor kernel = context.weight("kernel", Shape(sizes), call.kernel);
  return convolution(
      in_compute_type(x, context), transpose(flip(kernel, spatial), order),
      {.dilation = window.dilation, .padding = padding, .input_dilation = window.strides});
}

}  // namespace

template <int rank>
Tensor TransposedConvolution<rank>::call(const Tensor& x, CallContext& context) const {
  const ConvolutionCall call{.window = kernel_window(*this),
                             .filters = filters,
                             .kernel = {.initializer = kernel_initializer,
                                        .regularizer = kernel_regularizer,
                                        .constraint = kernel_constraint}};
  const std::vector<int64_t> rest =
      output_padding ? spatial_sizes(*output_padding) : std::vector<int64_t>{};
  return with_bias_and_activation(convolve_transposed(x, call, rest, context), *this, context);
}

SYSTOLIC_DEFINE_LAYER(Conv1DTranspose)
SYSTOLIC_DEFINE_LAYER(Conv2DTranspose)
SYSTOLIC_DEFINE_LAYER(Conv3DTranspose)

}  // namespace systolic::inline v0
