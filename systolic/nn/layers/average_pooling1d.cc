#include "systolic/nn/layers/average_pooling1d.h"

#include "systolic/nn/layers/pooling_call.h"
#include "systolic/trace/ops/contraction.h"

namespace systolic::inline v0 {

Tensor AveragePooling1D::call(const Tensor& x, CallContext&) const {
  return pooled(x, {{pool_size}, {strides.value_or(pool_size)}, padding}, average_pool);
}

}  // namespace systolic::inline v0
