// EfficientNetV2: its first stages widen and convolve channels in one convolution.
#include <cmath>
#include <vector>

#include "systolic/applications/applications.h"
#include "systolic/applications/architecture.h"
#include "systolic/applications/efficientnet_parts.h"
#include "systolic/base/text.h"
#include "systolic/nn/layers/all.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

// `fused`: one convolution instead of a pointwise and a depthwise one.
struct V2Block {
  int64_t repeats, in, out, expansion;
  double excited;  // share of squeeze and excitation, 0: none
  int64_t stride;
  bool fused;
};

const std::vector<V2Block> base_blocks = {
    {1, 32, 16, 1, 0, 1, true},      {2, 16, 32, 4, 0, 2, true},
    {2, 32, 48, 4, 0, 2, true},      {3, 48, 96, 4, 0.25, 2, false},
    {5, 96, 112, 6, 0.25, 1, false}, {8, 112, 192, 6, 0.25, 2, false}};

const std::vector<V2Block> small_v2_blocks = {
    {2, 24, 24, 1, 0, 1, true},       {4, 24, 48, 4, 0, 2, true},
    {4, 48, 64, 4, 0, 2, true},       {6, 64, 128, 4, 0.25, 2, false},
    {9, 128, 160, 6, 0.25, 1, false}, {15, 160, 256, 6, 0.25, 2, false}};

const std::vector<V2Block> medium_v2_blocks = {
    {3, 24, 24, 1, 0, 1, true},        {5, 24, 48, 4, 0, 2, true},
    {5, 48, 80, 4, 0, 2, true},        {7, 80, 160, 4, 0.25, 2, false},
    {14, 160, 176, 6, 0.25, 1, false}, {18, 176, 304, 6, 0.25, 2, false},
    {5, 304, 512, 6, 0.25, 1, false}};

const std::vector<V2Block> large_v2_blocks = {
    {4, 32, 32, 1, 0, 1, true},        {7, 32, 64, 4, 0, 2, true},
    {7, 64, 96, 4, 0, 2, true},        {10, 96, 192, 4, 0.25, 2, false},
    {19, 192, 224, 6, 0.25, 1, false}, {25, 224, 384, 6, 0.25, 2, false},
    {7, 384, 640, 6, 0.25, 1, false}};

struct V2Scale {
  const char *name, *file;
  const std::vector<V2Block>& blocks;
  double width, depth;
  int64_t default_size;
  bool base;  // B0 to B3: pictures are normalized by ImageNet's statistics
};

constexpr double v2_most_dropped = 0.2, v2_momentum = 0.9;

int64_t v2_filters(int64_t filters, const V2Scale& scale) {
  const double wanted = static_cast<double>(filters) * scale.width;
  return std::max<int64_t>(8, static_cast<int64_t>(wanted + 4) / 8 * 8);
}

struct V2Place {
  int64_t in, out, stride;
  double drop_rate;
  std::string name;
};

Symbol v2_convolution(const Symbol& x, int64_t filters, int64_t kernel_size, int64_t stride,
                      const std::string& name) {
  return Conv2D{.filters = filters,
                .kernel_size = kernel_size,
                .strides = stride,
                .padding = "same",
                .use_bias = false,
                .kernel_initializer = efficientnet_kernel(),
                .name = name}(x);
}

Symbol widened(const Symbol& x, const V2Block& block, const V2Place& place) {
  const std::string& name = place.name;
  if (block.expansion == 1) return x;
  const Symbol y = v2_convolution(x, place.in * block.expansion, block.fused ? 3 : 1,
                                  block.fused ? place.stride : 1, name + "expand_conv");
  return norm_swish(y, {.name = name + "expand_", .momentum = v2_momentum});
}

Symbol depthwise_v2(const Symbol& x, const V2Place& place) {
  const Symbol y = DepthwiseConv2D{.kernel_size = 3,
                                   .strides = place.stride,
                                   .padding = "same",
                                   .use_bias = false,
                                   .depthwise_initializer = efficientnet_kernel(),
                                   .name = place.name + "dwconv2"}(x);
  return norm_swish(y, {.name = place.name, .momentum = v2_momentum});
}

Symbol v2_projected(const Symbol& x, const V2Block& block, const V2Place& place) {
  const std::string name = place.name + "project_";
  const bool alone = block.fused && block.expansion == 1;  // the block's only convolution
  const Symbol y =
      v2_convolution(x, place.out, alone ? 3 : 1, alone ? place.stride : 1, name + "conv");
  if (alone) return norm_swish(y, {.name = name, .momentum = v2_momentum});
  return BatchNormalization{.momentum = v2_momentum, .name = name + "bn"}(y);
}

Symbol v2_block(const Symbol& input, const V2Block& block, const V2Place& place) {
  Symbol x = widened(input, block, place);
  if (!block.fused) x = depthwise_v2(x, place);
  if (block.excited > 0) x = squeezed_and_excited(x, place.in, block.excited, place.name);
  x = v2_projected(x, block, place);
  if (place.stride != 1 || place.in != place.out) return x;
  return residual_of(x, input, place.drop_rate, place.name);
}

Symbol all_v2_blocks(Symbol x, const V2Scale& scale) {
  double total = 0, done = 0;  // blocks, before they are repeated for depth, as in Keras
  for (const V2Block& block : scale.blocks) total += static_cast<double>(block.repeats);
  int stage = 0;
  for (const V2Block& block : scale.blocks) {
    ++stage;
    const auto repeats =
        static_cast<int64_t>(std::ceil(scale.depth * static_cast<double>(block.repeats)));
    const int64_t out = v2_filters(block.out, scale);
    for (int64_t i = 0; i < repeats; ++i) {
      x = v2_block(x, block,
                   {.in = i > 0 ? out : v2_filters(block.in, scale),
                    .out = out,
                    .stride = i > 0 ? 1 : block.stride,
                    .drop_rate = v2_most_dropped * done / total,
                    .name = block_name(stage, i)});
      done += 1;
    }
  }
  return x;
}

Symbol v2_pictures(Architecture& net, const V2Scale& scale) {
  const Symbol& image = net.image();
  if (!net.options().include_preprocessing.value_or(true)) return image;
  const std::string name = net.next("rescaling");
  if (!scale.base || image.shape()[3] != 3)
    return Rescaling{.scale = 1.0 / 128, .offset = -1.0, .name = name}(image);
  const Symbol x = Rescaling{.scale = 1.0 / 255, .name = name}(image);
  return Normalization{.mean = {0.485, 0.456, 0.406},
                       .variance = {0.229 * 0.229, 0.224 * 0.224, 0.225 * 0.225},
                       .name = net.next("normalization")}(x);
}

Model efficientnet_v2(const ApplicationOptions& options, const V2Scale& scale) {
  Architecture net({.name = scale.name,
                    .default_size = scale.default_size,
                    .own = {.include_preprocessing = true}},
                   options);
  Symbol x = v2_pictures(net, scale);
  x = v2_convolution(x, v2_filters(scale.blocks[0].in, scale), 3, 2, "stem_conv");
  x = all_v2_blocks(norm_swish(x, {.name = "stem_", .momentum = v2_momentum}), scale);
  x = efficientnet_pointwise(x, v2_filters(1280, scale), "top_conv");
  x = norm_swish(x, {.name = "top_", .momentum = v2_momentum});
  return net.model(net.top(x, efficientnet_top(0.2)), scale.file, scale.file);
}

}  // namespace

Model EfficientNetV2B0(const ApplicationOptions& options) {
  return efficientnet_v2(
      options, {"EfficientNetV2B0", "efficientnetv2-b0", base_blocks, 1.0, 1.0, 224, true});
}
Model EfficientNetV2B1(const ApplicationOptions& options) {
  return efficientnet_v2(
      options, {"EfficientNetV2B1", "efficientnetv2-b1", base_blocks, 1.0, 1.1, 240, true});
}
Model EfficientNetV2B2(const ApplicationOptions& options) {
  return efficientnet_v2(
      options, {"EfficientNetV2B2", "efficientnetv2-b2", base_blocks, 1.1, 1.2, 260, true});
}
Model EfficientNetV2B3(const ApplicationOptions& options) {
  return efficientnet_v2(
      options, {"EfficientNetV2B3", "efficientnetv2-b3", base_blocks, 1.2, 1.4, 300, true});
}
Model EfficientNetV2S(const ApplicationOptions& options) {
  return efficientnet_v2(
      options, {"EfficientNetV2S", "efficientnetv2-s", small_v2_blocks, 1.0, 1.0, 384, false});
}
Model EfficientNetV2M(const ApplicationOptions& options) {
  return efficientnet_v2(
      options, {"EfficientNetV2M", "efficientnetv2-m", medium_v2_blocks, 1.0, 1.0, 480, false});
}
Model EfficientNetV2L(const ApplicationOptions& options) {
  return efficientnet_v2(
      options, {"EfficientNetV2L", "efficientnetv2-l", large_v2_blocks, 1.0, 1.0, 480, false});
}

}  // namespace applications
}  // namespace systolic::inline v0
