#include "systolic/nn/layers/activations/softmax.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor Softmax::call(const Tensor& x, CallContext&) const {
  return systolic::softmax(x, checked_axis("axis", axis, x.rank()));
}

SYSTOLIC_DEFINE_LAYER(Softmax)

}  // namespace systolic::inline v0
