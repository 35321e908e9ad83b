#include "systolic/nn/layers/normalization/batch_normalization.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/normalization/batch_moments.h"
#include "systolic/nn/layers/normalization/statistics_dtype.h"
#include "systolic/nn/same_rank.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// The channels' size at their axis, 1 elsewhere.
Shape channel_shape(const Shape& shape, int position) {
  Shape result = shape;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis != position) result.set(axis, 1);
  }
  return result;
}

// As it was where nothing counts: padding alone says nothing.
void update_average(const Variable& average, const Tensor& now, const std::optional<Tensor>& count,
                    double momentum, bool synchronized) {
  const Tensor before = cast(average, now.dtype());
  const Tensor counted = count ? where(*count > 0, now, before) : now;
  // Cores with statistics of their own keep the mean of them, as the average is one variable.
  const Tensor shared = synchronized ? counted : all_reduce_mean(counted);
  const Tensor next = before * momentum + stop_gradient(shared) * (1 - momentum);
  average.assign(cast(next, average.dtype()));
}

// Rows that are real, or where steps are masked these: [batch] or [batch, steps].
std::optional<Tensor> counted(const Tensor& x, int position, const CallContext& context) {
  const std::optional<Tensor> steps = position > 1 ? context.step_mask(x) : std::nullopt;
  return both_masks(context.sample_mask(), steps);
}

}  // namespace

Tensor BatchNormalization::call(const Tensor& x, CallContext& context) const {
  check_min_rank(x, 2, "[batch, ..., channels]");
  const int position = checked_axis("axis", axis, x.rank());
  const Shape channels{x.shape()[position]};
  const auto wide = [&](const Variable& variable) { return cast(variable, statistics_dtype(x)); };
  const auto state = [&](const char* weight_name, const Initializer& initializer) {
    return context.add_weight(weight_name, channels,
                              {.initializer = initializer, .trainable = false});
  };
  // Made in Keras's order: gamma, beta, then the averages.
  std::optional<Tensor> gamma, beta;
  if (scale) {
    gamma = wide(context.add_weight("gamma", channels,
                                    {.initializer = gamma_initializer,
                                     .regularizer = gamma_regularizer,
                                     .constraint = gamma_constraint}));
  }
  if (center) {
    beta = wide(context.add_weight("beta", channels,
                                   {.initializer = beta_initializer,
                                    .regularizer = beta_regularizer,
                                    .constraint = beta_constraint}));
  }
  const Variable moving_mean = state("moving_mean", moving_mean_initializer);
  const Variable moving_variance = state("moving_variance", moving_variance_initializer);
  Moments moments{wide(moving_mean), wide(moving_variance)};
  const Tensor in = cast(x, statistics_dtype(x));
  if (context.training() && context.trainable()) {
    moments = batch_moments(in, position, counted(x, position, context), synchronized);
    update_average(moving_mean, moments.mean, moments.count, momentum, synchronized);
    update_average(moving_variance, moments.variance, moments.count, momentum, synchronized);
  }
  // One multiplication and one addition an element.
  Tensor factor = rsqrt(moments.variance + epsilon);
  if (gamma) factor = factor * *gamma;
  Tensor offset = -moments.mean * factor;
  if (beta) offset = offset + *beta;
  const Shape aligned = channel_shape(x.shape(), position);
  const Tensor y = in * reshape(factor, aligned) + reshape(offset, aligned);
  return cast(y, context.compute_dtype());
}

KerasForm BatchNormalization::keras_form() {
  return {.silent = {{"renorm", "false"}, {"renorm_momentum", "*"}}};
}

SYSTOLIC_DEFINE_LAYER(BatchNormalization)

}  // namespace systolic::inline v0
