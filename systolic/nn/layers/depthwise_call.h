// A convolution of each channel by itself. Internal to nn.
#pragma once

#include <string_view>
#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/nn/padding.h"

namespace systolic::inline v0 {

struct DepthwiseCall {
  std::vector<int64_t> kernel_size, strides, dilation;  // one a spatial axis
  Padding padding;
  int64_t depth_multiplier;
};

// x [batch, height, width, in] -> [batch, height', width', in * depth_multiplier]; the weight is
// [kernel height, kernel width, in, depth_multiplier].
Tensor convolve_depthwise(const Tensor& x, const DepthwiseCall& call, CallContext& context,
                          std::string_view weight_name, const WeightOptions& weight);

}  // namespace systolic::inline v0
