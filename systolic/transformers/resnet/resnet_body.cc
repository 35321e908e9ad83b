#include "systolic/transformers/resnet/resnet_body.h"

#include <utility>

#include "systolic/base/text.h"
#include "systolic/nn/initializers/variance_scaling.h"
#include "systolic/nn/layers/convolutional/convolution.h"
#include "systolic/nn/layers/normalization/batch_normalization.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/transformers/layers/asked_body.h"
#include "systolic/transformers/layers/layers.h"

namespace systolic::inline v0 {
namespace {

// A convolution whose windows lie as torch has them: half a kernel past each edge.
struct NormalizedConvolution {
  int64_t filters = 0;
  int64_t kernel_size = 3;
  int64_t stride = 1;

  Tensor operator()(Tensor x, const std::string& name, CallContext& context) const {
    const int64_t edge = kernel_size / 2;
    if (edge > 0 && stride > 1) x = pad(x, {{0, 0}, {edge, edge}, {edge, edge}, {0, 0}});
    const Layer convolution = [&]() -> Layer {
      Conv2D spec{
          .filters = filters,
          .kernel_size = kernel_size,
          .strides = stride,
          .use_bias = false,
          .kernel_initializer =
              VarianceScaling{.scale = 2, .mode = "fan_out", .distribution = "untruncated_normal"},
          .name = name + ".convolution"};
      if (stride == 1) spec.padding = "same";
      return spec;
    }();
    const Layer normalization =
        BatchNormalization{.momentum = 0.9, .epsilon = 1e-5, .name = name + ".normalization"};
    return inner(context, normalization, {inner(context, convolution, {x})});
  }
};

Tensor activated(const std::string& activation, const Tensor& x) {
  return hidden_activation(activation)(x);
}

}  // namespace

// The activations between its convolutions are ReLU, whatever the configuration's.
Tensor ResNetLayer::call(const Tensor& x, CallContext& context) const {
  constexpr int64_t reduction = 4;  // of a bottleneck's channels
  const auto shortcut = [&] {
    if (x.shape()[3] == filters && stride == 1) return x;
    return NormalizedConvolution{.filters = filters, .kernel_size = 1, .stride = stride}(
        x, "shortcut", context);
  };
  std::vector<NormalizedConvolution> parts{{.filters = filters, .stride = stride},
                                           {.filters = filters}};
  if (has_bottleneck) {
    const int64_t narrow = filters / reduction;
    parts = {{.filters = narrow, .kernel_size = 1, .stride = strides_first ? stride : 1},
             {.filters = narrow, .stride = strides_first ? 1 : stride},
             {.filters = filters, .kernel_size = 1}};
  }
  Tensor y = x;
  for (size_t i = 0; i < parts.size(); ++i) {
    y = parts[i](y, str("layer.", i), context);
    if (i + 1 < parts.size()) y = relu(y);
  }
  return activated(activation, y + shortcut());
}

std::vector<Tensor> ResNetBody::call(const std::vector<Tensor>& xs, CallContext& context) const {
  constexpr int64_t wide_kernel = 7;
  Tensor x = NormalizedConvolution{.filters = config.embedding_size,
                                   .kernel_size = wide_kernel,
                                   .stride = 2}(xs.at(0), "embedder.embedder", context);
  x = max_pool(activated(config.hidden_act, x),
               {.window = {3, 3}, .strides = {2, 2}, .padding = {{1, 1}, {1, 1}}});
  keep_state(x);
  for (size_t stage = 0; stage < config.depths.size(); ++stage) {
    const bool halves = stage > 0 || config.downsample_in_first_stage;
    for (int64_t i = 0; i < config.depths[stage]; ++i) {
      const Layer block = ResNetLayer{.has_bottleneck = config.layer_type == "bottleneck",
                                      .strides_first = config.downsample_in_bottleneck,
                                      .activation = config.hidden_act,
                                      .filters = config.hidden_sizes[stage],
                                      .stride = halves && i == 0 ? 2 : 1,
                                      .name = str("encoder.stages.", stage, ".layers.", i)};
      x = layer_outputs(block, {x}, context).at(0);
    }
    keep_state(x);
  }
  return {x, mean(x, {.axis = {1, 2}, .keepdims = true})};
}

}  // namespace systolic::inline v0
