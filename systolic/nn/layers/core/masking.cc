#include "systolic/nn/layers/core/masking.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor Masking::call(const Tensor& x, CallContext& context) const {
  check_min_rank(x, 3, "[batch, steps, ..., features]");
  const Tensor mask = any(not_equal(x, mask_value), {.axis = x.rank() - 1});
  const Tensor y = where(expand_dims(mask, -1), x, 0.0);
  if (mask.rank() == 2) context.set_step_mask(y, mask);
  return y;
}

SYSTOLIC_DEFINE_LAYER(Masking)

}  // namespace systolic::inline v0
