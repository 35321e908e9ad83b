#include "systolic/transformers/clip/picture_tower.h"

#include "systolic/nn/layers/convolutional/convolution.h"
#include "systolic/nn/layers/core/embedding.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/grid_positions.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

// One learned query, the probe, attends to all tokens: x [batch, tokens, size] -> [batch, size].
// Its weights are those of a torch.nn.MultiheadAttention, whose three projections are one matrix.
struct ProbeHead {
  static constexpr const char* kind = "ProbeHead";
  static constexpr LayerTraits traits = {};
  static constexpr bool casts_inputs = false;
  TowerSizes sizes;
  std::string name;
  SourceLocation location = SourceLocation::current();

  Tensor call(const Tensor& x, CallContext& context) const {
    const int64_t size = sizes.hidden_size, batch = x.shape()[0];
    const Tensor probe = broadcast_to(
        context.weight("probe", {1, 1, size}, {.initializer = "glorot_uniform"}), {batch, 1, size});
    const Tensor weights = context.weight("attention.in_proj_weight", {3 * size, size},
                                          {.initializer = "glorot_uniform"});
    const Tensor biases =
        context.weight("attention.in_proj_bias", {3 * size}, {.initializer = "zeros"});
    const auto projected = [&](const Tensor& input, int64_t part) {
      return matmul(input, slice(weights, {part * size, 0}, {size, size}), {.transpose_b = true}) +
             slice(biases, {part * size}, {size});
    };
    const KeepsNothing not_a_layer;
    const Tensor mixed = attention(projected(probe, 0), projected(x, 1), projected(x, 2),
                                   sizes.heads, 0, {}, context);
    const Tensor seen =
        inner(context, tower_dense(size, "lecun_normal", "attention.out_proj"), {mixed});
    const Tensor normalized = layer_norm(seen, sizes.layer_norm_epsilon, "layernorm", context);
    return (seen + tower_network(normalized, sizes, "mlp", context))[{all, 0}];
  }
};

}  // namespace

Tensor PictureTower::embedded(const Tensor& pixels, CallContext& context) const {
  const int64_t batch = pixels.shape()[0], size = sizes.hidden_size;
  const Tensor grid = inner(context,
                            Conv2D{.filters = size,
                                   .kernel_size = patch_size,
                                   .strides = patch_size,
                                   .use_bias = !has_special_token,
                                   .kernel_initializer = sizes.initializers.patches,
                                   .name = "embeddings.patch_embedding"},
                            {pixels});
  const Size2 patches{grid.shape()[1], grid.shape()[2]};
  const Size2 known{image_size.height / patch_size.height, image_size.width / patch_size.width};
  const int64_t special = has_special_token ? 1 : 0;
  const int64_t count = special + known.height * known.width;
  Tensor tokens = reshape(grid, {batch, patches.height * patches.width, size});
  if (has_special_token) {
    const Tensor picture = context.weight("embeddings.class_embedding", {size},
                                          {.initializer = sizes.initializers.special});
    tokens = concat({broadcast_to(reshape(picture, {1, 1, size}), {batch, 1, size}), tokens}, 1);
  }
  Tensor positions = inner(context,
                           Embedding{.input_dim = count,
                                     .output_dim = size,
                                     .embeddings_initializer = sizes.initializers.positions,
                                     .name = "embeddings.position_embedding"},
                           {iota({1, count}, 1)});
  if (interpolates) positions = resized_positions(positions, special, known, patches);
  return tokens + positions;
}

std::vector<Tensor> PictureTower::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const auto normalized = [&](const Tensor& x, const char* norm) {
    return layer_norm(x, sizes.layer_norm_epsilon, norm, context);
  };
  Tensor x = embedded(xs.at(0), context);
  // The name has that letter missing in checkpoints.
  if (has_special_token) x = normalized(x, "pre_layrnorm");
  x = tower_encoded(x, sizes, {}, context);
  if (has_special_token) return {x, normalized(x[{all, 0}], "post_layernorm")};
  x = normalized(x, "post_layernorm");
  if (!has_head) return {x};
  return {x, inner(context, ProbeHead{.sizes = sizes, .name = "head"}, {x})};
}

}  // namespace systolic::inline v0
