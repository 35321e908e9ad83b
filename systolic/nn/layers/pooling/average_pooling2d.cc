#include "systolic/nn/layers/pooling/average_pooling2d.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/pooling/pooling_call.h"

namespace systolic::inline v0 {

Tensor AveragePooling2D::call(const Tensor& x, CallContext&) const {
  return pooled(x, pool_window(*this), average_pool);
}

SYSTOLIC_DEFINE_LAYER(AveragePooling2D)

}  // namespace systolic::inline v0
