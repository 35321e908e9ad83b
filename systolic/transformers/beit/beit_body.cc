#include "systolic/transformers/beit/beit_body.h"

#include "systolic/base/text.h"
#include "systolic/nn/initializers/constant.h"
#include "systolic/nn/initializers/truncated_normal.h"
#include "systolic/nn/layers/convolutional/convolution.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/drop_path.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

// The row of a table for each pair of tokens, of which the first is the picture: patches by how far
// they are apart down and across; then from the picture, to it, and of it with itself.
std::vector<int32_t> rows_of_pairs(int64_t side) {
  const int64_t across = 2 * side - 1, of_patches = across * across, tokens = side * side + 1;
  std::vector<int32_t> rows;
  for (int64_t query = 0; query < tokens; ++query) {
    for (int64_t key = 0; key < tokens; ++key) {
      const int64_t a = query - 1, b = key - 1;
      int64_t row = (a / side - b / side + side - 1) * across + (a % side - b % side + side - 1);
      if (query == 0) row = of_patches;
      if (key == 0) row = of_patches + (query == 0 ? 2 : 1);
      rows.push_back(static_cast<int32_t>(row));
    }
  }
  return rows;
}

// [1, heads, tokens, tokens]
Tensor distance_bias(const BeitConfig& config, const std::string& table_name,
                     CallContext& context) {
  const int64_t side = config.image_size / config.patch_size, tokens = side * side + 1;
  const int64_t across = 2 * side - 1;
  const Tensor table =
      context.weight(table_name + ".relative_position_bias_table",
                     {across * across + 3, config.num_attention_heads}, {.initializer = "zeros"});
  const Tensor rows = Tensor(Literal::from(rows_of_pairs(side), {tokens, tokens}));
  return expand_dims(transpose(gather(table, rows), {2, 0, 1}), 0);
}

}  // namespace

Tensor BeitLayer::attended(const Tensor& x, const std::vector<Tensor>& xs,
                           CallContext& context) const {
  const auto projected = [&](const char* layer, bool use_bias) {
    Dense spec = linear(config.hidden_size, config.initializer_range, layer);
    spec.use_bias = use_bias;
    return inner(context, std::move(spec), {x});
  };
  AttentionOptions options;
  if (xs.size() > 1) options.bias = xs[1];
  if (config.use_relative_position_bias) {
    const Tensor own = distance_bias(config, "attention.attention.relative_position_bias", context);
    options.bias = options.bias ? *options.bias + own : own;
  }
  const Tensor mixed = attention(
      projected("attention.attention.query", true), projected("attention.attention.key", false),
      projected("attention.attention.value", true), config.num_attention_heads,
      config.attention_probs_dropout_prob, std::move(options), context);
  return inner(context,
               linear(config.hidden_size, config.initializer_range, "attention.output.dense"),
               {mixed});
}

Tensor BeitLayer::scaled(const Tensor& y, const char* scale, const char* drop,
                         CallContext& context) const {
  Tensor kept = dropped(y, config.hidden_dropout_prob, str(drop, ".dropout"), context);
  if (config.layer_scale_init_value > 0) {
    const Constant start{.value = config.layer_scale_init_value};
    kept = kept * context.weight(scale, {config.hidden_size}, {.initializer = start});
  }
  return systolic::drop_path(kept, drop_path, drop, context);
}

Tensor BeitLayer::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const double epsilon = config.layer_norm_eps, range = config.initializer_range;
  const Tensor read = layer_norm(xs[0], epsilon, "layernorm_before", context);
  const Tensor middle =
      xs[0] + scaled(attended(read, xs, context), "lambda_1", "drop_path1", context);
  const Tensor wide = inner(context,
                            linear(config.intermediate_size, range, "intermediate.dense",
                                   hidden_activation(config.hidden_act)),
                            {layer_norm(middle, epsilon, "layernorm_after", context)});
  const Tensor narrow = inner(context, linear(config.hidden_size, range, "output.dense"), {wide});
  return middle + scaled(narrow, "lambda_2", "drop_path2", context);
}

Tensor BeitBody::embedded(const Tensor& pixels, CallContext& context) const {
  const int64_t batch = pixels.shape()[0], size = config.hidden_size;
  const TruncatedNormal normal{.stddev = config.initializer_range};
  const Tensor grid = inner(context,
                            Conv2D{.filters = size,
                                   .kernel_size = config.patch_size,
                                   .strides = config.patch_size,
                                   .kernel_initializer = normal,
                                   .name = "embeddings.patch_embeddings.projection"},
                            {pixels});
  const int64_t patches = grid.shape()[1] * grid.shape()[2];
  const Tensor picture =
      context.weight("embeddings.cls_token", {1, 1, size}, {.initializer = "zeros"});
  if (config.use_mask_token) {
    // Stands for masked patches, of which there are none here.
    context.add_weight("embeddings.mask_token", {1, 1, size},
                       {.initializer = "zeros", .trainable = false});
  }
  Tensor x =
      concat({broadcast_to(picture, {batch, 1, size}), reshape(grid, {batch, patches, size})}, 1);
  if (config.use_absolute_position_embeddings) {
    x = x + context.weight("embeddings.position_embeddings", {1, patches + 1, size},
                           {.initializer = "zeros"});
  }
  return dropped(x, config.hidden_dropout_prob, "embeddings.dropout", context);
}

std::vector<Tensor> BeitBody::call(const std::vector<Tensor>& xs, CallContext& context) const {
  std::vector<Tensor> inputs{embedded(xs.at(0), context)};
  if (config.use_shared_relative_position_bias)
    inputs.push_back(distance_bias(config, "encoder.relative_position_bias", context));
  for (int64_t i = 0; i < config.num_hidden_layers; ++i) {
    const double rate = drop_path_rate(config.drop_path_rate, i, config.num_hidden_layers);
    inputs[0] = through_layer(
        BeitLayer{.config = config, .drop_path = rate, .name = str("encoder.layer.", i)}, inputs,
        context);
  }
  const bool averages = config.use_mean_pooling;
  const Tensor x =
      averages ? inputs[0] : layer_norm(inputs[0], config.layer_norm_eps, "layernorm", context);
  if (!pools) return {x};
  if (!averages) return {x, x[{all, 0}]};
  const Tensor patches = mean(x[{all, Slice{.begin = 1}}], {.axis = 1});
  return {x, layer_norm(patches, config.layer_norm_eps, "pooler.layernorm", context)};
}

}  // namespace systolic::inline v0
