#include "systolic/nn/layers/average_pooling2d.h"

#include "systolic/nn/layers/define_layer.h"
#include "systolic/nn/layers/pooling_call.h"

namespace systolic::inline v0 {

Tensor AveragePooling2D::call(const Tensor& x, CallContext&) const {
  return pooled(x, pool_window(*this), average_pool);
}

SYSTOLIC_DEFINE_LAYER(AveragePooling2D)

}  // namespace systolic::inline v0
