#include "systolic/nn/layers/normalization/layer_normalization.h"

#include "systolic/nn/define_layer.h"
#include "systolic/nn/layers/normalization/normalized_axes.h"
#include "systolic/nn/layers/normalization/statistics_dtype.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor LayerNormalization::call(const Tensor& x, CallContext& context) const {
  const NormalizedAxes over = normalized_axes(x, axis);
  const auto parameter = [&](const char* weight_name, const Initializer& initializer,
                             Regularizer regularizer) {
    return aligned_weight(context, weight_name, x, over,
                          {.initializer = initializer, .regularizer = regularizer});
  };
  const Tensor in = cast(x, statistics_dtype(x));
  const Tensor centered = in - mean(in, {.axes = over.axes, .keepdims = true});
  const Tensor spread = mean(square(centered), {.axes = over.axes, .keepdims = true});
  Tensor y = centered * rsqrt(spread + epsilon);
  if (scale) y = y * parameter("gamma", gamma_initializer, gamma_regularizer);
  if (center) y = y + parameter("beta", beta_initializer, beta_regularizer);
  return cast(y, context.compute_dtype());
}

KerasForm LayerNormalization::keras_form() { return {.silent = {{"rms_scaling", "false"}}}; }

SYSTOLIC_DEFINE_LAYER(LayerNormalization)

}  // namespace systolic::inline v0
