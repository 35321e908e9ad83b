#include "systolic/nn/layers/pooling/max_pooling1d.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/pooling/pooling_call.h"

namespace systolic::inline v0 {

Tensor MaxPooling1D::call(const Tensor& x, CallContext&) const {
  return pooled(x, pool_window(*this), max_pool);
}

SYSTOLIC_DEFINE_LAYER(MaxPooling1D)

}  // namespace systolic::inline v0
