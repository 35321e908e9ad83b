#include "systolic/nn/layers/normalization/layer_normalization.h"

#include <algorithm>

#include "systolic/nn/define_layer.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/normalization/statistics_dtype.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {

Tensor LayerNormalization::call(const Tensor& x, CallContext& context) const {
  const DType wide = statistics_dtype(x);
  std::vector<int> axes;
  for (const int64_t one : axis) axes.push_back(checked_axis("axis", one, x.rank()));
  std::vector<int64_t> sizes;
  Shape aligned = x.shape();
  for (int i = 0; i < x.rank(); ++i) {
    const bool normalized = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (normalized) sizes.push_back(x.shape()[i]);
    if (!normalized) aligned.set(i, 1);
  }
  const auto parameter = [&](const char* weight_name, const Initializer& initializer,
                             Regularizer regularizer) {
    const Variable weight = context.add_weight(
        weight_name, Shape(sizes), {.initializer = initializer, .regularizer = regularizer});
    const Tensor value = cast(weight, wide);
    // The trailing axes broadcast of themselves.
    return sizes.size() == 1 && axes[0] == x.rank() - 1 ? value : reshape(value, aligned);
  };
  const Tensor in = cast(x, wide);
  const Tensor centered = in - mean(in, {.axes = axes, .keepdims = true});
  const Tensor spread = mean(square(centered), {.axes = axes, .keepdims = true});
  Tensor y = centered * rsqrt(spread + epsilon);
  if (scale) y = y * parameter("gamma", gamma_initializer, gamma_regularizer);
  if (center) y = y + parameter("beta", beta_initializer, beta_regularizer);
  return cast(y, context.compute_dtype());
}

KerasForm LayerNormalization::keras_form() { return {.silent = {{"rms_scaling", "false"}}}; }

SYSTOLIC_DEFINE_LAYER(LayerNormalization)

}  // namespace systolic::inline v0
