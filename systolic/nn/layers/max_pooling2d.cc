#include "systolic/nn/layers/max_pooling2d.h"

#include "systolic/nn/layers/pooling_call.h"
#include "systolic/trace/ops/contraction.h"

namespace systolic::inline v0 {

Tensor MaxPooling2D::call(const Tensor& x, CallContext&) const {
  const Size2 step = strides.value_or(pool_size);
  return pooled(x, {{pool_size.height, pool_size.width}, {step.height, step.width}, padding},
                max_pool);
}

}  // namespace systolic::inline v0
