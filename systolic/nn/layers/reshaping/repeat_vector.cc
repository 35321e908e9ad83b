#include "systolic/nn/layers/reshaping/repeat_vector.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor RepeatVector::call(const Tensor& x, CallContext&) const {
  check_rank(x, 2, "[batch, features]");
  check_positive("n", n);
  return broadcast_to(expand_dims(x, 1), {x.shape()[0], n, x.shape()[1]});
}

SYSTOLIC_DEFINE_LAYER(RepeatVector)

}  // namespace systolic::inline v0
