#include "systolic/nn/layers/merging/concatenate.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/step_mask.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor Concatenate::call(const std::vector<Tensor>& xs, CallContext&) const {
  check_inputs(xs, 1);
  const int position = checked_axis("axis", axis, xs.front().rank());
  return masked_as_joined(concat(xs, position), xs, position);
}

SYSTOLIC_DEFINE_LAYER(Concatenate)

}  // namespace systolic::inline v0
