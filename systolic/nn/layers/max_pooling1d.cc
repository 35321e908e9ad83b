#include "systolic/nn/layers/max_pooling1d.h"

#include "systolic/nn/layers/pooling_call.h"
#include "systolic/trace/ops/contraction.h"

namespace systolic::inline v0 {

Tensor MaxPooling1D::call(const Tensor& x, CallContext&) const {
  return pooled(x, {{pool_size}, {strides.value_or(pool_size)}, padding}, max_pool);
}

}  // namespace systolic::inline v0
