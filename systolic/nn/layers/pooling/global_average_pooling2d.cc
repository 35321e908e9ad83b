#include "systolic/nn/layers/pooling/global_average_pooling2d.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor GlobalAveragePooling2D::call(const Tensor& x, CallContext&) const {
  check_rank(x, 4, "[batch, height, width, channels]");
  return mean(x, {.axes = {1, 2}, .keepdims = keepdims});
}

SYSTOLIC_DEFINE_LAYER(GlobalAveragePooling2D)

}  // namespace systolic::inline v0
