// EfficientNet B0 to B7: MobileNetV2's blocks with swish and squeeze and excitation, scaled in
// width, depth and the pictures' size together.
#include <cmath>

#include "systolic/applications/applications.h"
#include "systolic/applications/architecture.h"
#include "systolic/applications/efficientnet_parts.h"
#include "systolic/base/text.h"
#include "systolic/nn/layers/all.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

struct EfficientNetBlock {
  int64_t kernel_size, repeats, in, out, expansion, stride;
};

constexpr EfficientNetBlock efficientnet_blocks[] = {
    {3, 1, 32, 16, 1, 1},  {3, 2, 16, 24, 6, 2},   {5, 2, 24, 40, 6, 2},  {3, 3, 40, 80, 6, 2},
    {5, 3, 80, 112, 6, 1}, {5, 4, 112, 192, 6, 2}, {3, 1, 192, 320, 6, 1}};

struct EfficientNetScale {
  const char *name, *file;
  double width, depth;
  int64_t default_size;
  double dropout;
};

// The shares of dropped blocks grow up to this one at the last block.
constexpr double most_dropped = 0.2;

int64_t repeats_of(const EfficientNetBlock& block, double depth) {
  return static_cast<int64_t>(std::ceil(depth * static_cast<double>(block.repeats)));
}

// As Keras has it: pixels / 255, statistics that a file of weights holds, and for ImageNet's
// weights a division by the square root of its standard deviations, which they were trained with.
Symbol scaled_pictures(Architecture& net) {
  Symbol x = Rescaling{.scale = 1.0 / 255, .name = net.next("rescaling")}(net.image());
  x = Normalization{.name = net.next("normalization")}(x);
  if (net.options().weights != "imagenet") return x;
  return Normalization{
      .mean = {0, 0, 0}, .variance = {0.229, 0.224, 0.225}, .name = net.next("rescaling")}(x);
}

Symbol padded_depthwise(Symbol x, const EfficientNetBlock& block, int64_t stride,
                        const std::string& name) {
  if (stride == 2) {
    x = ZeroPadding2D{.padding = padding_of_stride_2(x, block.kernel_size),
                      .name = name + "dwconv_pad"}(x);
  }
  x = DepthwiseConv2D{.kernel_size = block.kernel_size,
                      .strides = stride,
                      .padding = padding_of_stride(stride),
                      .use_bias = false,
                      .depthwise_initializer = efficientnet_kernel(),
                      .name = name + "dwconv"}(x);
  return norm_swish(x, {.name = name});
}

struct BlockPlace {
  int64_t in, out, stride;
  double drop_rate;
  std::string name;
};

Symbol mobile_block(const Symbol& input, const EfficientNetBlock& block, const BlockPlace& place) {
  const std::string& name = place.name;
  Symbol x = input;
  if (block.expansion != 1) {
    x = efficientnet_pointwise(x, place.in * block.expansion, name + "expand_conv");
    x = norm_swish(x, {.name = name + "expand_"});
  }
  x = padded_depthwise(x, block, place.stride, name);
  x = squeezed_and_excited(x, place.in, 0.25, name);
  x = efficientnet_pointwise(x, place.out, name + "project_conv");
  x = BatchNormalization{.name = name + "project_bn"}(x);
  if (place.stride != 1 || place.in != place.out) return x;
  return residual_of(x, input, place.drop_rate, name);
}

Symbol all_blocks(Symbol x, const EfficientNetScale& scale) {
  double total = 0, done = 0;
  for (const EfficientNetBlock& block : efficientnet_blocks)
    total += static_cast<double>(repeats_of(block, scale.depth));
  int stage = 0;
  for (const EfficientNetBlock& block : efficientnet_blocks) {
    ++stage;
    const int64_t out = rounded_filters(static_cast<double>(block.out) * scale.width);
    for (int64_t i = 0; i < repeats_of(block, scale.depth); ++i) {
      const int64_t in = i > 0 ? out : rounded_filters(static_cast<double>(block.in) * scale.width);
      x = mobile_block(x, block,
                       {.in = in,
                        .out = out,
                        .stride = i > 0 ? 1 : block.stride,
                        .drop_rate = most_dropped * done / total,
                        .name = block_name(stage, i)});
      done += 1;
    }
  }
  return x;
}

Model efficientnet(const ApplicationOptions& options, const EfficientNetScale& scale) {
  Architecture net({.name = scale.name, .default_size = scale.default_size}, options);
  Symbol x = scaled_pictures(net);
  x = ZeroPadding2D{.padding = padding_of_stride_2(x, 3), .name = "stem_conv_pad"}(x);
  x = Conv2D{.filters = rounded_filters(32 * scale.width),
             .kernel_size = 3,
             .strides = 2,
             .use_bias = false,
             .kernel_initializer = efficientnet_kernel(),
             .name = "stem_conv"}(x);
  x = all_blocks(norm_swish(x, {.name = "stem_"}), scale);
  x = efficientnet_pointwise(x, rounded_filters(1280 * scale.width), "top_conv");
  x = norm_swish(x, {.name = "top_"});
  return net.model(net.top(x, efficientnet_top(scale.dropout)), scale.file, scale.file);
}

}  // namespace

Model EfficientNetB0(const ApplicationOptions& options) {
  return efficientnet(options, {"EfficientNetB0", "efficientnetb0", 1.0, 1.0, 224, 0.2});
}
Model EfficientNetB1(const ApplicationOptions& options) {
  return efficientnet(options, {"EfficientNetB1", "efficientnetb1", 1.0, 1.1, 240, 0.2});
}
Model EfficientNetB2(const ApplicationOptions& options) {
  return efficientnet(options, {"EfficientNetB2", "efficientnetb2", 1.1, 1.2, 260, 0.3});
}
Model EfficientNetB3(const ApplicationOptions& options) {
  return efficientnet(options, {"EfficientNetB3", "efficientnetb3", 1.2, 1.4, 300, 0.3});
}
Model EfficientNetB4(const ApplicationOptions& options) {
  return efficientnet(options, {"EfficientNetB4", "efficientnetb4", 1.4, 1.8, 380, 0.4});
}
Model EfficientNetB5(const ApplicationOptions& options) {
  return efficientnet(options, {"EfficientNetB5", "efficientnetb5", 1.6, 2.2, 456, 0.4});
}
Model EfficientNetB6(const ApplicationOptions& options) {
  return efficientnet(options, {"EfficientNetB6", "efficientnetb6", 1.8, 2.6, 528, 0.5});
}
Model EfficientNetB7(const ApplicationOptions& options) {
  return efficientnet(options, {"EfficientNetB7", "efficientnetb7", 2.0, 3.1, 600, 0.5});
}

}  // namespace applications
}  // namespace systolic::inline v0
