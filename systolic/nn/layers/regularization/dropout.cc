#include "systolic/nn/layers/regularization/dropout.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/random.h"

namespace systolic::inline v0 {
namespace {

Shape mask_shape(const Shape& input, const std::vector<int64_t>& wanted) {
  if (wanted.empty()) return input;
  if (wanted.size() != static_cast<size_t>(input.rank())) {
    raise<InvalidArgument>(
        {.what = str("noise_shape has ", wanted.size(), " axes, the input ", input.rank())});
  }
  Shape shape = input;
  for (int axis = 0; axis < input.rank(); ++axis) {
    const int64_t size = wanted[static_cast<size_t>(axis)];
    if (size >= 0) shape.set(axis, size);
  }
  return shape;
}

}  // namespace

Tensor Dropout::call(const Tensor& x, CallContext& context) const {
  if (!(rate >= 0 && rate <= 1)) {
    raise<InvalidArgument>({.what = str("rate is ", rate.get()), .wanted = "from 0 to 1"});
  }
  if (!context.training() || rate == 0) return x;
  if (rate == 1) return zeros_like(x);
  Tensor key = context.random_key();
  if (seed) key = fold_in(key, static_cast<uint64_t>(*seed));
  const Tensor drawn = random_uniform(mask_shape(x.shape(), noise_shape), 0, 1, {.key = key});
  return where(drawn >= rate.get(), x * (1 / (1 - rate)), 0.0);
}

SYSTOLIC_DEFINE_LAYER(Dropout)

}  // namespace systolic::inline v0
