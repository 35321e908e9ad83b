#include "systolic/transformers/vit/vit_body.h"

#include "systolic/base/text.h"
#include "systolic/nn/initializers/random_normal.h"
#include "systolic/nn/layers/convolutional/convolution.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/grid_positions.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {

Tensor ViTLayer::attended(const Tensor& x, CallContext& context) const {
  const auto projected = [&](const char* layer) {
    Dense spec = linear(sizes.hidden_size, sizes.initializer_range, layer);
    spec.use_bias = sizes.projection_bias;
    return inner(context, std::move(spec), {x});
  };
  const Tensor mixed = attention(
      projected("attention.attention.query"), projected("attention.attention.key"),
      projected("attention.attention.value"), sizes.heads, sizes.attention_dropout, {}, context);
  return inner(context,
               linear(sizes.hidden_size, sizes.initializer_range, "attention.output.dense"),
               {mixed});
}

Tensor ViTLayer::call(const Tensor& x, CallContext& context) const {
  const double epsilon = sizes.layer_norm_epsilon, range = sizes.initializer_range;
  const Tensor mixed = attended(layer_norm(x, epsilon, "layernorm_before", context), context);
  const Tensor middle = x + dropped(mixed, sizes.dropout, "attention.output.dropout", context);
  const Tensor wide = inner(context,
                            linear(sizes.intermediate_size, range, "intermediate.dense",
                                   hidden_activation(sizes.activation)),
                            {layer_norm(middle, epsilon, "layernorm_after", context)});
  const Tensor narrow = inner(context, linear(sizes.hidden_size, range, "output.dense"), {wide});
  return middle + dropped(narrow, sizes.dropout, "output.dropout", context);
}

Tensor ViTBody::embedded(const Tensor& pixels, CallContext& context) const {
  const int64_t batch = pixels.shape()[0], size = sizes.hidden_size;
  const RandomNormal normal{.stddev = sizes.initializer_range};
  const Tensor grid = inner(context,
                            Conv2D{.filters = size,
                                   .kernel_size = sizes.patch_size,
                                   .strides = sizes.patch_size,
                                   .kernel_initializer = normal,
                                   .name = "embeddings.patch_embeddings.projection"},
                            {pixels});
  // As `transformers` has them: DeiT's are 0.
  WeightOptions added{.initializer = normal};
  if (sizes.distills) added.initializer = "zeros";
  // One token for each whole picture, the same vector for all.
  const auto special = [&](const char* token) {
    return broadcast_to(context.weight(token, {1, 1, size}, added), {batch, 1, size});
  };
  std::vector<Tensor> tokens{special("embeddings.cls_token")};
  if (sizes.distills) tokens.push_back(special("embeddings.distillation_token"));
  const Size2 patches{grid.shape()[1], grid.shape()[2]};
  tokens.push_back(reshape(grid, {batch, patches.height * patches.width, size}));
  Tensor positions = context.weight("embeddings.position_embeddings",
                                    {1, sizes.special_tokens() + sizes.patches(), size}, added);
  if (sizes.interpolates)
    positions = resized_positions(positions, sizes.special_tokens(), sizes.grid(), patches);
  return dropped(concat(tokens, 1) + positions, sizes.dropout, "embeddings.dropout", context);
}

std::vector<Tensor> ViTBody::call(const std::vector<Tensor>& xs, CallContext& context) const {
  Tensor x = embedded(xs.at(0), context);
  for (int64_t i = 0; i < layers; ++i) {
    x = through_layer(ViTLayer{.sizes = sizes, .name = str("encoder.layer.", i)}, {x}, context);
  }
  x = layer_norm(x, sizes.layer_norm_epsilon, "layernorm", context);
  if (pooler_size == 0) return {x};
  const Layer pooler = linear(pooler_size, sizes.initializer_range, "pooler.dense",
                              hidden_activation(pooler_activation));
  return {x, inner(context, pooler, {x[{all, 0}]})};
}

}  // namespace systolic::inline v0
