#include "systolic/nn/layers/normalization/group_normalization.h"

#include "systolic/base/error.h"
#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/normalization/normalized_axes.h"
#include "systolic/nn/layers/normalization/statistics_dtype.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

int64_t checked_groups(int64_t groups, int64_t channels) {
  if (groups == -1) return channels;
  check_positive("groups", groups);
  if (channels % groups != 0) {
    raise<InvalidArgument>({.what = str("groups is ", groups, " for ", channels, " channels"),
                            .wanted = "a divisor of the channels, or -1"});
  }
  return groups;
}

}  // namespace

Tensor GroupNormalization::call(const Tensor& x, CallContext& context) const {
  check_min_rank(x, 2, "[batch, ..., channels]");
  const int position = checked_axis("axis", axis, x.rank());
  const int64_t channels = x.shape()[position];
  const int64_t count = checked_groups(groups, channels);
  const NormalizedAxes over = normalized_axes(x, {position});
  const auto split = [&](const Shape& shape) {
    Shape result = shape.with_inserted(position, count);
    result.set(position + 1, shape[position] / count);
    return result;
  };
  const auto parameter = [&](const char* weight_name, const WeightOptions& options) {
    return reshape(aligned_weight(context, weight_name, x, over, options), split(over.aligned));
  };
  std::optional<Tensor> gamma, beta;
  if (scale) {
    gamma = parameter("gamma", {.initializer = gamma_initializer,
                                .regularizer = gamma_regularizer,
                                .constraint = gamma_constraint});
  }
  if (center) {
    beta = parameter("beta", {.initializer = beta_initializer,
                              .regularizer = beta_regularizer,
                              .constraint = beta_constraint});
  }
  const Tensor in = reshape(cast(x, statistics_dtype(x)), split(x.shape()));
  ReduceOptions within{.keepdims = true};
  for (int i = 1; i < in.rank(); ++i) {
    if (i != position) within.axis.values.push_back(i);
  }
  const Tensor centered = in - mean(in, within);
  Tensor y = centered * rsqrt(mean(square(centered), within) + epsilon);
  if (gamma) y = y * *gamma;
  if (beta) y = y + *beta;
  return cast(reshape(y, x.shape()), context.compute_dtype());
}

SYSTOLIC_DEFINE_LAYER(GroupNormalization)

}  // namespace systolic::inline v0
