#include "systolic/nn/losses/reduction.h"

#include <tuple>

#include "systolic/nn/same_rank.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// Trailing axes of size 1 until the weight broadcasts over the losses from the left: [batch] over
// [batch, time].
Tensor aligned(Tensor weight, int rank) {
  while (weight.rank() < rank && weight.rank() > 0) weight = expand_dims(weight, -1);
  return weight;
}

}  // namespace

Tensor reduce_losses(const Tensor& losses, Reduction reduction, const LossOptions& options) {
  const bool averages = reduction.is("sum_over_batch_size") || reduction.is("mean");
  Tensor values = losses;
  std::optional<Tensor> weight;
  if (options.mask) {
    // Masked ones must not even be multiplied by 0: what stands there may be NaN.
    const Tensor mask = aligned(*options.mask, values.rank());
    values = where(mask, values, 0.0);
    weight = cast(mask, DType::f32);
  }
  Tensor count = constant(static_cast<float>(values.size()));
  if (averages && weight) count = sum(broadcast_to(*weight, values.shape()));
  if (options.sample_weight) {
    Tensor given = cast(*options.sample_weight, DType::f32);
    std::tie(values, given) = to_same_rank(values, given);
    given = aligned(given, values.rank());
    values = values * given;
    weight = weight ? *weight * given : given;
  }
  if (reduction.is("none") || values.rank() == 0) return values;
  const Tensor total = sum(values);
  if (reduction.is("sum")) return total;
  if (reduction.is("mean_with_sample_weight") && weight) {
    count = sum(broadcast_to(*weight, values.shape()));
  }
  // Only a mask or weights can make the divisor 0.
  return weight ? divide_no_nan(total, count) : total / static_cast<double>(losses.size());
}

}  // namespace systolic::inline v0
