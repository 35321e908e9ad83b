#include "systolic/nn/layers/pooling/global_max_pooling1d.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor GlobalMaxPooling1D::call(const Tensor& x, CallContext&) const {
  check_rank(x, 3, "[batch, steps, channels]");
  return max(x, {.axes = {1}, .keepdims = keepdims});
}

SYSTOLIC_DEFINE_LAYER(GlobalMaxPooling1D)

}  // namespace systolic::inline v0
