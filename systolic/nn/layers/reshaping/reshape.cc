#include "systolic/nn/layers/reshaping/reshape.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

namespace {

// Of [batch, ...] under `target`; nothing where the elements do not fit.
std::optional<Shape> reshaped_batch(const Shape& given, const Shape& target) {
  const int64_t elements = given.slice(1, given.rank()).elements();
  int64_t known = 1;
  int unknown = -1;
  for (int axis = 0; axis < target.rank(); ++axis) {
    if (target[axis] == -1 && unknown < 0) {
      unknown = axis;
    } else {
      known *= target[axis];
    }
  }
  if (known < 1 || (unknown < 0 ? known != elements : elements % known != 0)) return std::nullopt;
  Shape shape = target;
  if (unknown >= 0) shape.set(unknown, elements / known);
  return shape.with_inserted(0, given[0]);
}

}  // namespace

Tensor Reshape::call(const Tensor& x, CallContext&) const {
  check_min_rank(x, 1, "[batch, ...]");
  const Shape& target = target_shape;
  const std::optional<Shape> shape = reshaped_batch(x.shape(), target);
  if (shape) return systolic::reshape(x, *shape);
  raise<InvalidArgument>(
      {.what = str("target_shape ", target, " for an input of shape ", x.shape()),
       .wanted = str(x.shape().slice(1, x.rank()).elements(), " elements an example")});
}

std::optional<SeenInput> Reshape::moved(const SeenInput& x) const {
  const Shape& given = x.shape;
  const auto shape = given.rank() > 0 ? reshaped_batch(given, target_shape) : std::nullopt;
  return shape ? std::optional(reshaped(x, *shape)) : std::nullopt;
}

SYSTOLIC_DEFINE_LAYER(Reshape)

}  // namespace systolic::inline v0
