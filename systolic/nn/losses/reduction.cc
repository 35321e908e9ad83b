#include "systolic/nn/losses/reduction.h"

#include <algorithm>
#include <tuple>

#include "systolic/base/error.h"
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

// `values` and `weight` are those shapes with equally many axes.
void check_weights_of(const Tensor& losses, const Tensor& given, const Shape& values,
                      const Shape& weight) {
  bool fits = true;
  for (int axis = -1; axis >= -std::min(values.rank(), weight.rank()); --axis) {
    fits = fits && (values[axis] == weight[axis] || values[axis] == 1 || weight[axis] == 1);
  }
  if (fits) return;
  raise<InvalidArgument>(
      {.what = str("sample_weight has shape ", given.shape(), ", the losses have ", losses.shape()),
       .wanted = "a weight for each sample, or for each loss",
       .hint = "weights of [batch] serve losses of any shape"});
}

}  // namespace

Tensor reduce_losses(const Tensor& losses, Reduction reduction, const LossOptions& options) {
  Tensor values = losses;
  std::optional<Tensor> mask, weight;
  if (options.mask && values.rank() == 0 && options.mask->rank() > 0) {
    raise<InvalidArgument>({.what = "a loss that is one number for the whole batch under a mask, "
                                    "which leaves out some of its samples",
                            .wanted = str("losses of shape ", options.mask->shape()),
                            .hint = "give one loss for each sample, or "
                                    "batch(n, {.drop_remainder = true})"});
  }
  if (options.mask) {
    // Masked ones must not even be multiplied by 0: what stands there may be NaN.
    mask = aligned(*options.mask, values.rank());
    values = where(*mask, values, 0.0);
  }
  if (options.sample_weight) {
    Tensor given = cast(*options.sample_weight, DType::f32);
    std::tie(values, given) = to_same_rank(values, given);
    weight = aligned(given, values.rank());
    check_weights_of(losses, *options.sample_weight, values.shape(), weight->shape());
    values = values * *weight;
  }
  if (reduction.is("none") || values.rank() == 0) return values;
  const Tensor total = sum(values);
  if (reduction.is("sum")) return total;
  const bool by_weight = reduction.is("mean_with_sample_weight") && weight;
  if (!mask && !by_weight) return total / static_cast<double>(values.size());
  // How many losses there are, or how much they weigh: with a mask or weights this can be 0.
  Tensor count = by_weight ? *weight : ones({});
  if (mask) count = count * cast(aligned(*options.mask, values.rank()), DType::f32);
  return divide_no_nan(total, sum(broadcast_to(count, values.shape())));
}

}  // namespace systolic::inline v0
