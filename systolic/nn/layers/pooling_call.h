// What the pooling layers have in common. Internal to nn.
#pragma once

#include <vector>

#include "systolic/nn/layer.h"
#include "systolic/nn/padding.h"
#include "systolic/trace/ops/contraction.h"

namespace systolic::inline v0 {

struct PoolingCall {
  std::vector<int64_t> window, strides;  // one a spatial axis
  Padding padding;
};

// `pool` is max_pool or average_pool.
Tensor pooled(const Tensor& x, const PoolingCall& call,
              Tensor (*pool)(const Tensor& x, PoolOptions options, SourceLocation at));

}  // namespace systolic::inline v0
