#include "systolic/nn/layers/reshaping/flatten.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor Flatten::call(const Tensor& x, CallContext&) const {
  check_min_rank(x, 1, "[batch, ...]");
  const int64_t batch = x.shape()[0];
  // Not -1: an empty batch would leave it undetermined.
  return reshape(x, {batch, x.shape().slice(1, x.rank()).elements()});
}

SYSTOLIC_DEFINE_LAYER(Flatten)

}  // namespace systolic::inline v0
