// The axes over which a layer normalizes. Internal to nn.
#pragma once

#include <vector>

#include "systolic/nn/layer.h"

namespace systolic::inline v0 {

struct NormalizedAxes {
  std::vector<int> axes;
  std::vector<int64_t> sizes;  // in the order of the array's axes
  Shape aligned;               // the sizes at the axes, 1 elsewhere
};

// An axis that x has not is an InvalidArgument.
NormalizedAxes normalized_axes(const Tensor& x, const std::vector<int64_t>& axis);

// A weight of these sizes, in the type in which x is normalized and in a shape that broadcasts with
// x.
Tensor aligned_weight(CallContext& context, std::string_view name, const Tensor& x,
                      const NormalizedAxes& over, WeightOptions options);

}  // namespace systolic::inline v0
