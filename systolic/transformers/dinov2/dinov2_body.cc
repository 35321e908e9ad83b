#include "systolic/transformers/dinov2/dinov2_body.h"

#include "systolic/base/text.h"
#include "systolic/nn/initializers/constant.h"
#include "systolic/nn/initializers/truncated_normal.h"
#include "systolic/nn/layers/convolutional/convolution.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/drop_path.h"
#include "systolic/transformers/layers/grid_positions.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {

Tensor Dinov2Layer::attended(const Tensor& x, CallContext& context) const {
  const auto projected = [&](const char* layer) {
    Dense spec = linear(config.hidden_size, config.initializer_range, layer);
    spec.use_bias = config.qkv_bias;
    return inner(context, std::move(spec), {x});
  };
  const Tensor mixed =
      attention(projected("attention.attention.query"), projected("attention.attention.key"),
                projected("attention.attention.value"), config.num_attention_heads,
                config.attention_probs_dropout_prob, {}, context);
  return inner(context,
               linear(config.hidden_size, config.initializer_range, "attention.output.dense"),
               {mixed});
}

// The dense network; of SwiGLU's, two thirds of the width, rounded up to a multiple of 8, are left
// (Shazeer 2020, arXiv 2002.05202, section 2).
Tensor Dinov2Layer::widened(const Tensor& x, CallContext& context) const {
  const int64_t width = config.hidden_size * config.mlp_ratio;
  const auto dense = [&](int64_t units, const char* layer, const Tensor& input,
                         const char* activation) {
    return inner(context,
                 linear(units, config.initializer_range, layer, hidden_activation(activation)),
                 {input});
  };
  if (!config.use_swiglu_ffn) {
    const Tensor wide = dense(width, "mlp.fc1", x, config.hidden_act.c_str());
    return dense(config.hidden_size, "mlp.fc2", wide, "linear");
  }
  const int64_t gated = (width * 2 / 3 + 7) / 8 * 8;
  const std::vector<Tensor> halves = split(dense(2 * gated, "mlp.weights_in", x, "linear"), 2, 2);
  return dense(config.hidden_size, "mlp.weights_out", silu(halves[0]) * halves[1], "linear");
}

Tensor Dinov2Layer::call(const Tensor& x, CallContext& context) const {
  const auto scaled = [&](const Tensor& added, const char* scale, const char* drop) {
    const Tensor factors = context.weight(
        scale, {config.hidden_size}, {.initializer = Constant{.value = config.layerscale_value}});
    return drop_path(added * factors, config.drop_path_rate, drop, context);
  };
  const auto normalized = [&](const Tensor& input, const char* norm) {
    return layer_norm(input, config.layer_norm_eps, norm, context);
  };
  const Tensor middle =
      x + scaled(attended(normalized(x, "norm1"), context), "layer_scale1.lambda1", "drop_path1");
  return middle + scaled(widened(normalized(middle, "norm2"), context), "layer_scale2.lambda1",
                         "drop_path2");
}

Tensor Dinov2Body::embedded(const Tensor& pixels, CallContext& context) const {
  const int64_t batch = pixels.shape()[0], size = config.hidden_size;
  const TruncatedNormal normal{.stddev = config.initializer_range};
  const Tensor grid = inner(context,
                            Conv2D{.filters = size,
                                   .kernel_size = config.patch_size,
                                   .strides = config.patch_size,
                                   .kernel_initializer = normal,
                                   .name = "embeddings.patch_embeddings.projection"},
                            {pixels});
  const Tensor picture =
      context.weight("embeddings.cls_token", {1, 1, size}, {.initializer = normal});
  if (config.use_mask_token) {
    // Stands for masked patches, of which there are none here.
    context.add_weight("embeddings.mask_token", {1, size},
                       {.initializer = "zeros", .trainable = false});
  }
  const Size2 known{config.image_size.height / config.patch_size.height,
                    config.image_size.width / config.patch_size.width};
  const Size2 patches{grid.shape()[1], grid.shape()[2]};
  const Tensor table =
      context.weight("embeddings.position_embeddings", {1, 1 + known.height * known.width, size},
                     {.initializer = normal});
  const Tensor tokens = concat({broadcast_to(picture, {batch, 1, size}),
                                reshape(grid, {batch, patches.height * patches.width, size})},
                               1);
  return dropped(tokens + resized_positions(table, 1, known, patches), config.hidden_dropout_prob,
                 "embeddings.dropout", context);
}

Tensor Dinov2Body::call(const Tensor& pixels, CallContext& context) const {
  Tensor x = embedded(pixels, context);
  for (int64_t i = 0; i < config.num_hidden_layers; ++i)
    x = through_layer(Dinov2Layer{.config = config, .name = str("encoder.layer.", i)}, {x},
                      context);
  return layer_norm(x, config.layer_norm_eps, "layernorm", context);
}

}  // namespace systolic::inline v0
