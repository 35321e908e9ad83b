#include "systolic/nn/layers/activations/softmax.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/one_class.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor Softmax::call(const Tensor& x, CallContext&) const {
  const int position = checked_axis("axis", axis, x.rank());
  warn_of_one_class("softmax", x, position, "sigmoid");
  return systolic::softmax(x, position);
}

SYSTOLIC_DEFINE_LAYER(Softmax)

}  // namespace systolic::inline v0
