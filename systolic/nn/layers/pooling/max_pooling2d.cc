#include "systolic/nn/layers/pooling/max_pooling2d.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/pooling/pooling_call.h"

namespace systolic::inline v0 {

Tensor MaxPooling2D::call(const Tensor& x, CallContext&) const {
  return pooled(x, pool_window(*this), max_pool);
}

SYSTOLIC_DEFINE_LAYER(MaxPooling2D)

}  // namespace systolic::inline v0
