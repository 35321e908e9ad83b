#include "systolic/transformers/swin/swin_body.h"

#include <utility>

#include "systolic/base/text.h"
#include "systolic/nn/initializers/random_normal.h"
#include "systolic/nn/layers/convolutional/convolution.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/drop_path.h"
#include "systolic/transformers/layers/grid_positions.h"
#include "systolic/transformers/layers/layers.h"
#include "systolic/transformers/swin/swin_layer.h"

namespace systolic::inline v0 {
namespace {

constexpr double default_epsilon = 1e-5;  // of norms that the configuration does not reach

// x with zeros below and to the right, so that both sizes are multiples.
Tensor padded_to(const Tensor& x, Size2 multiple) {
  const int64_t below = (multiple.height - x.shape()[1] % multiple.height) % multiple.height;
  const int64_t right = (multiple.width - x.shape()[2] % multiple.width) % multiple.width;
  return below + right > 0 ? pad(x, {{0, 0}, {0, below}, {0, right}, {0, 0}}) : x;
}

}  // namespace

Tensor SwinBody::embedded(Tensor pixels, CallContext& context) const {
  const Size2 patch = config.patch_size;
  const Tensor grid =
      inner(context,
            Conv2D{.filters = config.embed_dim,
                   .kernel_size = patch,
                   .strides = patch,
                   .kernel_initializer = RandomNormal{.stddev = config.initializer_range},
                   .name = "embeddings.patch_embeddings.projection"},
            {padded_to(pixels, patch)});
  Tensor x = layer_norm(grid, default_epsilon, "embeddings.norm", context);
  if (config.use_absolute_embeddings) {
    const Size2 known{config.image_size.height / patch.height,
                      config.image_size.width / patch.width};
    const Size2 patches{grid.shape()[1], grid.shape()[2]};
    Tensor positions =
        context.weight("embeddings.position_embeddings",
                       {1, known.height * known.width, config.embed_dim}, {.initializer = "zeros"});
    if (interpolates) positions = resized_positions(positions, 0, known, patches);
    x = x + reshape(positions, {1, patches.height, patches.width, config.embed_dim});
  }
  return dropped(x, config.hidden_dropout_prob, "embeddings.dropout", context);
}

// [batch, height, width, n] -> [batch, height / 2, width / 2, 2n].
Tensor SwinBody::merged(Tensor x, const std::string& parts, CallContext& context) const {
  x = padded_to(x, 2);
  const Shape& shape = x.shape();
  const int64_t height = shape[1] / 2, width = shape[2] / 2, channels = shape[3];
  // The four places of a square, column by column.
  const Tensor squares =
      transpose(reshape(x, {shape[0], height, 2, width, 2, channels}), {0, 1, 3, 4, 2, 5});
  const Tensor wide = layer_norm(reshape(squares, {shape[0], height, width, 4 * channels}),
                                 default_epsilon, parts + "norm", context);
  Dense reduction = linear(2 * channels, config.initializer_range, parts + "reduction");
  reduction.use_bias = false;
  return inner(context, std::move(reduction), {wide});
}

std::vector<Tensor> SwinBody::call(const std::vector<Tensor>& xs, CallContext& context) const {
  int64_t layers = 0, layer = 0;
  for (const int64_t depth : config.depths) layers += depth;
  Tensor x = embedded(xs.at(0), context);
  // As tokens, [batch, places, channels].
  const auto keep_map = [&] {
    const Shape& map = x.shape();
    keep_state(reshape(x, {map[0], map[1] * map[2], map[3]}));
  };
  keep_map();
  for (size_t stage = 0; stage < config.depths.size(); ++stage) {
    const std::string parts = str("encoder.layers.", stage, ".");
    for (int64_t i = 0; i < config.depths[stage]; ++i) {
      const Layer block =
          SwinLayer{.config = config,
                    .heads = config.num_heads[stage],
                    .shifts = i % 2 == 1,
                    .drop_path = drop_path_rate(config.drop_path_rate, layer++, layers),
                    .name = str(parts, "blocks.", i)};
      x = layer_outputs(block, {x}, context).at(0);
    }
    if (stage + 1 < config.depths.size()) x = merged(x, parts + "downsample.", context);
    keep_map();
  }
  x = layer_norm(x, config.layer_norm_eps, "layernorm", context);
  const Shape& shape = x.shape();
  x = reshape(x, {shape[0], shape[1] * shape[2], shape[3]});
  if (!pools) return {x};
  return {x, mean(x, {.axis = 1})};
}

}  // namespace systolic::inline v0
