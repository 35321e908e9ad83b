#include "systolic/nn/layers/reshaping/reshape.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor Reshape::call(const Tensor& x, CallContext&) const {
  check_min_rank(x, 1, "[batch, ...]");
  const Shape& target = target_shape;
  const int64_t given = x.shape().slice(1, x.rank()).elements();
  int64_t known = 1;
  int unknown = -1;
  for (int axis = 0; axis < target.rank(); ++axis) {
    if (target[axis] == -1 && unknown < 0) {
      unknown = axis;
    } else {
      known *= target[axis];
    }
  }
  Shape shape = target;
  if (unknown >= 0 && known > 0 && given % known == 0) shape.set(unknown, given / known);
  if (known < 1 || (unknown < 0 ? known != given : given % known != 0)) {
    raise<InvalidArgument>(
        {.what = str("target_shape ", target, " for an input of shape ", x.shape()),
         .wanted = str(given, " elements an example")});
  }
  return systolic::reshape(x, shape.with_inserted(0, x.shape()[0]));
}

SYSTOLIC_DEFINE_LAYER(Reshape)

}  // namespace systolic::inline v0
