#include "systolic/nn/layers/normalization/unit_normalization.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/normalization/normalized_axes.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor UnitNormalization::call(const Tensor& x, CallContext&) const {
  const NormalizedAxes over = normalized_axes(x, axis);
  const Tensor squares = sum(square(x), {.axis = over.axes, .keepdims = true});
  return x * rsqrt(maximum(squares, 1e-24));
}

SYSTOLIC_DEFINE_LAYER(UnitNormalization)

}  // namespace systolic::inline v0
