#include "systolic/nn/layers/reshaping/flatten.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

namespace {

// Not -1: an empty batch would leave it undetermined.
Shape flat(const Shape& shape) { return {shape[0], shape.slice(1, shape.rank()).elements()}; }

}  // namespace

Tensor Flatten::call(const Tensor& x, CallContext&) const {
  check_min_rank(x, 1, "[batch, ...]");
  return reshape(x, flat(x.shape()));
}

std::optional<SeenInput> Flatten::moved(const SeenInput& x) const {
  if (x.shape.rank() == 0) return std::nullopt;
  return reshaped(x, flat(x.shape));
}

SYSTOLIC_DEFINE_LAYER(Flatten)

}  // namespace systolic::inline v0
