#include "systolic/nn/layers/global_average_pooling1d.h"

#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor GlobalAveragePooling1D::call(const Tensor& x, CallContext&) const {
  check_rank(x, 3, "[batch, steps, channels]");
  return mean(x, {.axes = {1}, .keepdims = keepdims});
}

}  // namespace systolic::inline v0
