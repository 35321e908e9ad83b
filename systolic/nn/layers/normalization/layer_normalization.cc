#include "systolic/nn/layers/normalization/layer_normalization.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/normalization/normalized_axes.h"
#include "systolic/nn/layers/normalization/statistics_dtype.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor LayerNormalization::call(const Tensor& x, CallContext& context) const {
  const NormalizedAxes over = normalized_axes(x, axis);
  const auto parameter = [&](const char* weight_name, const WeightOptions& options) {
    return aligned_weight(context, weight_name, x, over, options);
  };
  const Tensor in = cast(x, statistics_dtype(x));
  const Tensor centered = in - mean(in, {.axis = over.axes, .keepdims = true});
  const Tensor spread = mean(square(centered), {.axis = over.axes, .keepdims = true});
  Tensor y = centered * rsqrt(spread + epsilon);
  if (scale) {
    y = y * parameter("gamma", {.initializer = gamma_initializer,
                                .regularizer = gamma_regularizer,
                                .constraint = gamma_constraint});
  }
  if (center) {
    y = y + parameter("beta", {.initializer = beta_initializer,
                               .regularizer = beta_regularizer,
                               .constraint = beta_constraint});
  }
  return cast(y, context.compute_dtype());
}

KerasForm LayerNormalization::keras_form() { return {.silent = {{"rms_scaling", "false"}}}; }

SYSTOLIC_DEFINE_LAYER(LayerNormalization)

}  // namespace systolic::inline v0
