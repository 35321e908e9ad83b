#include "systolic/nn/layers/activations/prelu.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor PReLU::call(const Tensor& x, CallContext& context) const {
  check_min_rank(x, 2, "[batch, ...]");
  Shape shape = x.shape().slice(1, x.rank());
  for (const int64_t axis : shared_axes) {
    const int position = checked_axis("shared_axes", axis, x.rank());
    if (position > 0) shape.set(position - 1, 1);
  }
  const Tensor alpha = context.weight("alpha", shape,
                                      {.initializer = alpha_initializer,
                                       .regularizer = alpha_regularizer,
                                       .constraint = alpha_constraint});
  return systolic::relu(x) - alpha * systolic::relu(-x);
}

SYSTOLIC_DEFINE_LAYER(PReLU)

}  // namespace systolic::inline v0
