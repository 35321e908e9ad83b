#include "systolic/nn/layers/convolution_call.h"

#include "systolic/base/error.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"

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

void check_sizes(std::string_view field, const std::vector<int64_t>& sizes) {
  for (const int64_t size : sizes) check_positive(field, size);
}

}  // namespace

const char* image_axes(size_t spatial) {
  return spatial == 1 ? "[batch, steps, channels]" : "[batch, height, width, channels]";
}

std::vector<std::pair<int64_t, int64_t>> spatial_padding(const Shape& spatial,
                                                         const std::vector<int64_t>& window,
                                                         const std::vector<int64_t>& strides,
                                                         const std::vector<int64_t>& dilation,
                                                         Padding padding) {
  std::vector<std::pair<int64_t, int64_t>> result;
  for (size_t i = 0; i < window.size(); ++i) {
    const int64_t size = spatial[static_cast<int>(i)];
    const int64_t reach = (window[i] - 1) * dilation[i] + 1;
    if (padding.is("same")) {
      result.push_back(same_padding(size, window[i], strides[i], dilation[i]));
    } else if (padding.is("causal")) {
      result.emplace_back(reach - 1, 0);
    } else if (reach > size) {
      raise<InvalidArgument>(
          {.what = str("a window of ", reach, " does not fit into the input's ", spatial),
           .hint = "use .padding = \"same\", or a smaller window"});
    } else {
      result.emplace_back(0, 0);
    }
  }
  return result;
}

Tensor convolve(const Tensor& x, const ConvolutionCall& call, CallContext& context,
                const WeightOptions& kernel, std::string_view kernel_name) {
  const size_t spatial = call.kernel_size.size();
  check_positive("filters", call.filters);
  check_sizes("kernel_size", call.kernel_size);
  check_sizes("strides", call.strides);
  check_sizes("dilation_rate", call.dilation);
  check_rank(x, static_cast<int>(spatial) + 2, image_axes(spatial));
  const int64_t channels = x.shape()[-1];
  check_groups(call, channels, x.shape());

  std::vector<int64_t> kernel_shape = call.kernel_size;
  kernel_shape.push_back(channels / call.groups);
  kernel_shape.push_back(call.filters);
  const Shape sizes = x.shape().slice(1, x.rank() - 1);
  return convolution(is_float(x.dtype()) ? x : cast(x, context.compute_dtype()),
                     context.weight(kernel_name, Shape(kernel_shape), kernel),
                     {.strides = call.strides,
                      .dilation = call.dilation,
                      .padding = spatial_padding(sizes, call.kernel_size, call.strides,
                                                 call.dilation, call.padding),
                      .groups = call.groups});
}

Tensor with_bias_and_activation(const Tensor& y, const BiasActivation& last, CallContext& context) {
  if (!last.use_bias) return last.activation(y);
  return last.activation(y + context.weight("bias", {last.filters}, last.bias));
}

}  // namespace systolic::inline v0
