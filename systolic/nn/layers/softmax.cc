#include "systolic/nn/layers/softmax.h"

#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor Softmax::call(const Tensor& x, CallContext&) const {
  return systolic::softmax(x, checked_axis("axis", axis, x.rank()));
}

}  // namespace systolic::inline v0
