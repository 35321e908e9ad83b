#include "systolic/nn/layers/depthwise_call.h"

#include "systolic/base/error.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/convolution_call.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor convolve_depthwise(const Tensor& x, const DepthwiseCall& call, CallContext& context,
                          std::string_view weight_name, const WeightOptions& weight) {
  check_positive("depth_multiplier", call.depth_multiplier);
  if (call.padding.is("causal")) {
    raise<InvalidArgument>({.what = "padding is 'causal'", .wanted = "'valid' or 'same'"});
  }
  check_rank(x, static_cast<int>(call.kernel_size.size()) + 2, image_axes(call.kernel_size.size()));
  const int64_t channels = x.shape()[-1];
  std::vector<int64_t> sizes = call.kernel_size;
  sizes.push_back(channels);
  sizes.push_back(call.depth_multiplier);
  const Tensor kernel = context.weight(weight_name, Shape(sizes), weight);
  // As one group a channel, a kernel's last axes are [1, channels * multiplier].
  sizes[sizes.size() - 2] = 1;
  sizes[sizes.size() - 1] = channels * call.depth_multiplier;
  const Shape spatial = x.shape().slice(1, x.rank() - 1);
  return convolution(
      is_float(x.dtype()) ? x : cast(x, context.compute_dtype()), reshape(kernel, Shape(sizes)),
      {.strides = call.strides,
       .dilation = call.dilation,
       .padding =
           spatial_padding(spatial, call.kernel_size, call.strides, call.dilation, call.padding),
       .groups = channels});
}

}  // namespace systolic::inline v0
