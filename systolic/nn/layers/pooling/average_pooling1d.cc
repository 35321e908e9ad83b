#include "systolic/nn/layers/pooling/average_pooling1d.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/pooling/pooling_call.h"

namespace systolic::inline v0 {

Tensor AveragePooling1D::call(const Tensor& x, CallContext&) const {
  return pooled(x, pool_window(*this), average_pool);
}

SYSTOLIC_DEFINE_LAYER(AveragePooling1D)

}  // namespace systolic::inline v0
