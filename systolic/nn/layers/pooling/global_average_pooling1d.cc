#include "systolic/nn/layers/pooling/global_average_pooling1d.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/normalization/statistics_dtype.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor GlobalAveragePooling1D::call(const Tensor& x, CallContext& context) const {
  check_rank(x, 3, "[batch, steps, channels]");
  if (const std::optional<Tensor> mask = context.step_mask(x)) {
    // Summed in a type that holds the sum of what is still to be divided.
    const Tensor wide = cast(x, statistics_dtype(x));
    const Tensor real = expand_dims(cast(*mask, wide.dtype()), -1);
    // Never divided by 0: a row that is padding only gives 0.
    const Tensor count = maximum(sum(real, {.axes = {1}, .keepdims = keepdims}), 1.0);
    return cast(sum(wide * real, {.axes = {1}, .keepdims = keepdims}) / count, x.dtype());
  }
  return mean(x, {.axes = {1}, .keepdims = keepdims});
}

SYSTOLIC_DEFINE_LAYER(GlobalAveragePooling1D)

}  // namespace systolic::inline v0
