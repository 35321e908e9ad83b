#include "systolic/nn/layers/preprocessing/rescaling.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/normalization/statistics_dtype.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor Rescaling::call(const Tensor& x, CallContext& context) const {
  return cast(cast(x, statistics_dtype(x)) * scale.get() + offset, context.compute_dtype());
}

SYSTOLIC_DEFINE_LAYER(Rescaling)

}  // namespace systolic::inline v0
