#include "systolic/nn/layers/preprocessing/random_flip.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor RandomFlip::call(const Tensor& x, CallContext& context) const {
  check_rank(x, 4, "[batch, height, width, channels]");
  if (!context.training()) return x;
  Tensor key = context.random_key();
  if (seed) key = fold_in(key, static_cast<uint64_t>(*seed));
  Tensor result = x;
  const auto flip_some = [&](int axis) {
    const Shape one_each{x.shape()[0], 1, 1, 1};
    const Tensor drawn =
        random_uniform(one_each, 0, 1, {.key = fold_in(key, static_cast<uint64_t>(axis))});
    result = where(drawn < 0.5, flip(result, {axis}), result);
  };
  if (!mode.is("vertical")) flip_some(2);
  if (!mode.is("horizontal")) flip_some(1);
  return result;
}

SYSTOLIC_DEFINE_LAYER(RandomFlip)

}  // namespace systolic::inline v0
