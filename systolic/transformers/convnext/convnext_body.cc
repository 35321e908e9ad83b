#include "systolic/transformers/convnext/convnext_body.h"

#include <numeric>

#include "systolic/base/text.h"
#include "systolic/nn/initializers/constant.h"
#include "systolic/nn/initializers/random_normal.h"
#include "systolic/nn/layers/convolutional/convolution.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/drop_path.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

constexpr double inner_epsilon = 1e-6;

}  // namespace

Tensor ConvNextLayer::call(const Tensor& x, CallContext& context) const {
  constexpr int64_t window = 7, expansion = 4;
  const int64_t channels = x.shape()[3];
  const double range = config.initializer_range;
  const Tensor seen = inner(context,
                            Conv2D{.filters = channels,
                                   .kernel_size = window,
                                   .padding = "same",
                                   .groups = channels,
                                   .kernel_initializer = RandomNormal{.stddev = range},
                                   .name = "dwconv"},
                            {x});
  const Tensor wide = inner(
      context, linear(expansion * channels, range, "pwconv1", hidden_activation(config.hidden_act)),
      {layer_norm(seen, inner_epsilon, "layernorm", context)});
  Tensor added = inner(context, linear(channels, range, "pwconv2"), {wide});
  if (config.layer_scale_init_value > 0) {
    added =
        added * context.weight("layer_scale_parameter", {channels},
                               {.initializer = Constant{.value = config.layer_scale_init_value}});
  }
  return x + systolic::drop_path(added, drop_path, "drop_path", context);
}

Tensor ConvNextBody::downsampled(const Tensor& x, size_t stage, CallContext& context) const {
  const auto convolution = [&](const Tensor& input, Size2 patch, std::string name) {
    return inner(context,
                 Conv2D{.filters = config.hidden_sizes[stage],
                        .kernel_size = patch,
                        .strides = patch,
                        .kernel_initializer = RandomNormal{.stddev = config.initializer_range},
                        .name = std::move(name)},
                 {input});
  };
  if (stage == 0) {
    return layer_norm(convolution(x, config.patch_size, "embeddings.patch_embeddings"),
                      inner_epsilon, "embeddings.layernorm", context);
  }
  const std::string parts = str("encoder.stages.", stage, ".downsampling_layer.");
  return convolution(layer_norm(x, inner_epsilon, parts + "0", context), 2, parts + "1");
}

std::vector<Tensor> ConvNextBody::call(const std::vector<Tensor>& xs, CallContext& context) const {
  const int64_t layers = std::accumulate(config.depths.begin(), config.depths.end(), int64_t{0});
  int64_t layer = 0;
  Tensor x = xs.at(0);
  for (size_t stage = 0; stage < config.depths.size(); ++stage) {
    x = downsampled(x, stage, context);
    if (stage == 0) keep_state(x);
    for (int64_t i = 0; i < config.depths[stage]; ++i) {
      const Layer block =
          ConvNextLayer{.config = config,
                        .drop_path = drop_path_rate(config.drop_path_rate, layer++, layers),
                        .name = str("encoder.stages.", stage, ".layers.", i)};
      x = layer_outputs(block, {x}, context).at(0);
    }
    keep_state(x);
  }
  return {x, layer_norm(mean(x, {.axis = {1, 2}}), config.layer_norm_eps, "layernorm", context)};
}

}  // namespace systolic::inline v0
