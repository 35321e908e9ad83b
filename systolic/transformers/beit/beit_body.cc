#include "systolic/transformers/beit/beit_body.h"

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/nn/initializers/constant.h"
#include "systolic/nn/initializers/truncated_normal.h"
#include "systolic/nn/layers/convolutional/convolution.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/drop_path.h"
#include "systolic/transformers/layers/grid_positions.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

// The row of a table for each pair of tokens, of which the first is the picture: patches by how far
// they are apart down and across; then from the picture, to it, and of it with itself.
std::vector<int32_t> rows_of_pairs(Size2 grid) {
  const int64_t across = 2 * grid.width - 1, of_patches = (2 * grid.height - 1) * across;
  const int64_t tokens = grid.height * grid.width + 1;
  std::vector<int32_t> rows;
  for (int64_t query = 0; query < tokens; ++query) {
    for (int64_t key = 0; key < tokens; ++key) {
      const int64_t a = query - 1, b = key - 1;
      int64_t row = (a / grid.width - b / grid.width + grid.height - 1) * across +
                    (a % grid.width - b % grid.width + grid.width - 1);
      if (query == 0) row = of_patches;
      if (key == 0) row = of_patches + (query == 0 ? 2 : 1);
      rows.push_back(static_cast<int32_t>(row));
    }
  }
  return rows;
}

// What says for pictures of that many patches which distance each pair of tokens has: rows of the
// table [tokens, tokens], and where they are others than the configuration's, what makes its
// distances down and across of those, [distances, known ones] each.
Tensors pairs_of(const BeitConfig& config, Size2 grid, CallContext& context) {
  const int64_t side = config.image_size / config.patch_size, known = 2 * side - 1;
  const int64_t tokens = grid.height * grid.width + 1;
  // Where only shapes are wanted, sizes are large stand-ins.
  if (context.infers_shapes()) return {zeros({tokens, tokens}, DType::i32)};
  Tensors pairs{Tensor(Literal::from(rows_of_pairs(grid), {tokens, tokens}))};
  if (grid == Size2{side, side}) return pairs;
  for (const int64_t patches : {grid.height, grid.width})
    pairs.push_back(weights_between(known, 2 * patches - 1, Between::two));
  return pairs;
}

// [1, heads, tokens, tokens]: the table's numbers, or what lies between them.
Tensor distance_bias(const BeitConfig& config, const Tensors& pairs, const std::string& table_name,
                     CallContext& context) {
  const int64_t known = 2 * (config.image_size / config.patch_size) - 1;
  const int64_t heads = config.num_attention_heads;
  Tensor table = context.weight(table_name + ".relative_position_bias_table",
                                {known * known + 3, heads}, {.initializer = "zeros"});
  if (pairs.size() > 1) {
    const Tensor grid =
        reshape(slice(table, {0, 0}, {known * known, heads}), {known, known, heads});
    const Tensor rows = einsum("ab,bcd->acd", cast(pairs[1], table.dtype()), grid);
    const Tensor both = einsum("ab,cbd->cad", cast(pairs[2], table.dtype()), rows);
    table = concat({reshape(both, {-1, heads}), slice(table, {known * known, 0}, {3, heads})}, 0);
  }
  return expand_dims(transpose(gather(table, pairs[0]), {2, 0, 1}), 0);
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
  const bool shares = config.use_shared_relative_position_bias;
  if (shares) options.bias = xs[1];
  if (config.use_relative_position_bias) {
    const Tensors pairs(xs.begin() + (shares ? 2 : 1), xs.end());
    const Tensor own =
        distance_bias(config, pairs, "attention.attention.relative_position_bias", context);
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

// A bias for each pair of patches: more would cost without bound.
void BeitBody::check_patches(Size2 grid, CallContext& context) const {
  const int64_t most = BeitConfig::most_patches_across;
  if (context.infers_shapes() || (grid.height <= most && grid.width <= most)) return;
  raise<InvalidArgument>(
      {.what = str("pictures of ", grid.height, " x ", grid.width, " patches"),
       .wanted = str("at most ", most, " x ", most),
       .hint = str("patches are of ", config.patch_size, " x ", config.patch_size, " pixels"),
       .location = location});
}

Tensor BeitBody::embedded(const Tensor& pixels, Size2& patches_of, CallContext& context) const {
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
  patches_of = {grid.shape()[1], grid.shape()[2]};
  check_patches(patches_of, context);
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
    const int64_t side = config.image_size / config.patch_size;
    const Tensor positions = context.weight("embeddings.position_embeddings",
                                            {1, side * side + 1, size}, {.initializer = "zeros"});
    x = x + resized_positions(positions, 1, {side, side}, patches_of);
  }
  return dropped(x, config.hidden_dropout_prob, "embeddings.dropout", context);
}

std::vector<Tensor> BeitBody::call(const std::vector<Tensor>& xs, CallContext& context) const {
  Size2 grid;
  std::vector<Tensor> inputs{embedded(xs.at(0), grid, context)};
  const Tensors pairs = pairs_of(config, grid, context);
  if (config.use_shared_relative_position_bias)
    inputs.push_back(distance_bias(config, pairs, "encoder.relative_position_bias", context));
  if (config.use_relative_position_bias) inputs.insert(inputs.end(), pairs.begin(), pairs.end());
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
