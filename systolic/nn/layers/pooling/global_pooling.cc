#include "systolic/nn/layers/pooling/global_pooling.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/normalization/statistics_dtype.h"
#include "systolic/nn/layers/window.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// Never divided by 0: a row that is padding only gives 0.
Tensor mean_of_real_steps(const Tensor& x, const Tensor& mask, const ReduceOptions& over) {
  // Summed in a type that holds the sum of what is still to be divided.
  const Tensor wide = cast(x, statistics_dtype(x));
  const Tensor real = expand_dims(cast(mask, wide.dtype()), -1);
  return cast(sum(wide * real, over) / maximum(sum(real, over), 1.0), x.dtype());
}

}  // namespace

template <Pool pool, int rank>
Tensor GlobalPooling<pool, rank>::call(const Tensor& x, CallContext& context) const {
  check_rank(x, rank + 2, spatial_axes(rank));
  ReduceOptions over{.keepdims = keepdims};
  for (int axis = 1; axis <= rank; ++axis) over.axis.values.push_back(axis);
  if (pool == Pool::max) return max(x, over);
  const std::optional<Tensor> mask = rank == 1 ? context.step_mask(x) : std::nullopt;
  return mask ? mean_of_real_steps(x, *mask, over) : mean(x, over);
}

SYSTOLIC_DEFINE_LAYER(GlobalMaxPooling1D)
SYSTOLIC_DEFINE_LAYER(GlobalMaxPooling2D)
SYSTOLIC_DEFINE_LAYER(GlobalMaxPooling3D)
SYSTOLIC_DEFINE_LAYER(GlobalAveragePooling1D)
SYSTOLIC_DEFINE_LAYER(GlobalAveragePooling2D)
SYSTOLIC_DEFINE_LAYER(GlobalAveragePooling3D)

}  // namespace systolic::inline v0
