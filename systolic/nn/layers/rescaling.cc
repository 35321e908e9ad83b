#include "systolic/nn/layers/rescaling.h"

#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor Rescaling::call(const Tensor& x, CallContext& context) const {
  const Tensor in = is_float(x.dtype()) ? x : cast(x, context.compute_dtype());
  return in * scale.get() + offset;
}

}  // namespace systolic::inline v0
