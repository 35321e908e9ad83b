// What the pooling layers have in common. Internal to nn.
#pragma once

#include "systolic/nn/layers/window.h"
#include "systolic/trace/ops/contraction.h"

namespace systolic::inline v0 {

// max_pool or average_pool.
using Pool = Tensor (*)(const Tensor& x, PoolOptions options, SourceLocation at);

Tensor pooled(const Tensor& x, const Window& window, Pool pool);

}  // namespace systolic::inline v0
