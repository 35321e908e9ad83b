#include "systolic/nn/layers/transformer/transformer_parts.h"

#include "systolic/base/error.h"
#include "systolic/nn/input_check.h"
#include "systolic/nn/layers/attention/multi_head_attention.h"
#include "systolic/nn/layers/core/dense.h"
#include "systolic/nn/layers/normalization/layer_normalization.h"
#include "systolic/nn/layers/regularization/dropout.h"

namespace systolic::inline v0 {

template <class Inner>
Tensor TransformerParts::residual(const Tensor& x, const std::string& prefix,
                                  const Inner& inner) const {
  const auto normalized = [&](const Tensor& value) {
    return LayerNormalization{.epsilon = layer_norm_epsilon,
                              .name = str(prefix, "_layer_norm"),
                              .location = location}(value, context);
  };
  const Tensor y = Dropout{.rate = dropout, .name = str(prefix, "_dropout"), .location = location}(
      inner(normalize_first ? normalized(x) : x), context);
  const Tensor result = normalize_first ? x + y : normalized(x + y);
  context.set_step_mask(result, context.step_mask(x));
  return result;
}

Tensor TransformerParts::attention(const Tensor& x, const AttentionStep& step) const {
  check_positive("num_heads", num_heads);
  const int64_t features = x.shape()[-1];
  if (features % num_heads != 0) {
    raise<InvalidArgument>(
        {.what = str("input has ", features, " features for ", num_heads, " heads"),
         .wanted = "a multiple of num_heads"});
  }
  return residual(x, step.prefix, [&](const Tensor& in) {
    std::vector<Tensor> inputs{in};
    inputs.insert(inputs.end(), step.others.begin(), step.others.end());
    return MultiHeadAttention{.num_heads = num_heads,
                              .key_dim = features / num_heads,
                              .dropout = dropout,
                              .kernel_initializer = kernel_initializer,
                              .bias_initializer = bias_initializer,
                              .use_causal_mask = step.causal,
                              .name = step.name,
                              .location = location}(inputs, context);
  });
}

Tensor TransformerParts::feedforward(const Tensor& x) const {
  check_positive("intermediate_dim", intermediate_dim);
  return residual(x, "feedforward", [&](const Tensor& in) {
    const Tensor wide = Dense{.units = intermediate_dim,
                              .activation = activation,
                              .kernel_initializer = kernel_initializer,
                              .bias_initializer = bias_initializer,
                              .name = "feedforward_intermediate_dense",
                              .location = location}(in, context);
    return Dense{.units = x.shape()[-1],
                 .kernel_initializer = kernel_initializer,
                 .bias_initializer = bias_initializer,
                 .name = "feedforward_output_dense",
                 .location = location}(wide, context);
  });
}

}  // namespace systolic::inline v0
