#include "systolic/nn/layers/preprocessing/rescaling.h"

#include "systolic/nn/define_layer.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor Rescaling::call(const Tensor& x, CallContext& context) const {
  const Tensor in = is_float(x.dtype()) ? x : cast(x, context.compute_dtype());
  return in * scale.get() + offset;
}

SYSTOLIC_DEFINE_LAYER(Rescaling)

}  // namespace systolic::inline v0
