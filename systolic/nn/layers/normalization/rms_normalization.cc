#include "systolic/nn/layers/normalization/rms_normalization.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/normalization/normalized_axes.h"
#include "systolic/nn/layers/normalization/statistics_dtype.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor RMSNormalization::call(const Tensor& x, CallContext& context) const {
  const NormalizedAxes over = normalized_axes(x, axis);
  const Tensor in = cast(x, statistics_dtype(x));
  const Tensor spread = mean(square(in), {.axis = over.axes, .keepdims = true});
  const Tensor scale = aligned_weight(context, "scale", x, over, {.initializer = "ones"});
  return cast(in * rsqrt(spread + epsilon) * scale, context.compute_dtype());
}

SYSTOLIC_DEFINE_LAYER(RMSNormalization)

}  // namespace systolic::inline v0
