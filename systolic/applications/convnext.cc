// ConvNeXt: a ResNet built the way transformers are, of 7 x 7 depthwise convolutions and Dense
// layers over the channels.
#include <array>

#include "systolic/applications/applications.h"
#include "systolic/applications/architecture.h"
#include "systolic/applications/layer_scale.h"
#include "systolic/base/text.h"
#include "systolic/nn/layers/all.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

struct ConvNeXtSizes {
  const char *name, *file;
  std::array<int, 4> depths;
  std::array<int64_t, 4> widths;
};

Symbol convnext_block(const Symbol& input, int64_t width, const std::string& name) {
  Symbol x = Conv2D{.filters = width,
                    .kernel_size = 7,
                    .padding = "same",
                    .groups = width,
                    .name = name + "_depthwise_conv"}(input);
  x = LayerNormalization{.epsilon = 1e-6, .name = name + "_layernorm"}(x);
  x = Dense{.units = 4 * width, .name = name + "_pointwise_conv_1"}(x);
  x = ActivationLayer{.activation = "gelu", .name = name + "_gelu"}(x);
  x = Dense{.units = width, .name = name + "_pointwise_conv_2"}(x);
  x = LayerScale{.init_values = 1e-6, .projection_dim = width, .name = name + "_layer_scale"}(x);
  return input + ActivationLayer{.activation = "linear", .name = name + "_identity"}(x);
}

// The stem, and what makes the feature map smaller in front of each further stage: models inside
// the model, as in Keras.
Network convnext_stem(int64_t width, const std::string& name) {
  return Network(
      {Conv2D{.filters = width, .kernel_size = 4, .strides = 4, .name = name + "_stem_conv"},
       LayerNormalization{.epsilon = 1e-6, .name = name + "_stem_layernorm"}},
      {.name = name + "_stem"});
}

Network convnext_downsampling(int64_t width, int stage, const std::string& name) {
  return Network(
      {LayerNormalization{.epsilon = 1e-6, .name = str(name, "_downsampling_layernorm_", stage)},
       Conv2D{.filters = width,
              .kernel_size = 2,
              .strides = 2,
              .name = str(name, "_downsampling_conv_", stage)}},
      {.name = str(name, "_downsampling_block_", stage)});
}

Symbol convnext_pictures(const Architecture& net, const std::string& name) {
  const Symbol& image = net.image();
  if (!net.options().include_preprocessing.value_or(true) || image.shape()[3] != 3) return image;
  const auto square = [](double x) { return x * x; };
  return Normalization{.mean = {0.485 * 255, 0.456 * 255, 0.406 * 255},
                       .variance = {square(0.229 * 255), square(0.224 * 255), square(0.225 * 255)},
                       .name = name + "_prestem_normalization"}(image);
}

Symbol convnext_top(Architecture& net, const Symbol& features, const std::string& name) {
  const ApplicationOptions& options = net.options();
  if (!options.include_top) {
    return LayerNormalization{.epsilon = 1e-6,
                              .name = net.next("layer_normalization")}(net.pooled(features));
  }
  Symbol x = GlobalAveragePooling2D{.name = name + "_head_gap"}(features);
  x = LayerNormalization{.epsilon = 1e-6, .name = name + "_head_layernorm"}(x);
  return Dense{.units = options.classes,
               .activation = options.classifier_activation,
               .name = name + "_head_dense"}(x);
}

Model convnext(const ApplicationOptions& options, const ConvNeXtSizes& sizes) {
  Architecture net({.name = sizes.name, .own = {.include_preprocessing = true}}, options);
  const std::string name = options.name.empty() ? sizes.file : options.name;
  Symbol x = convnext_pictures(net, name);
  for (size_t stage = 0; stage < 4; ++stage) {
    const int before = static_cast<int>(stage) - 1;
    x = stage == 0 ? convnext_stem(sizes.widths[0], name)(x)
                   : convnext_downsampling(sizes.widths[stage], before, name)(x);
    for (int block = 0; block < sizes.depths[stage]; ++block)
      x = convnext_block(x, sizes.widths[stage], str(name, "_stage_", stage, "_block_", block));
  }
  return net.model(convnext_top(net, x, name), sizes.file, sizes.file);
}

}  // namespace

Model ConvNeXtTiny(const ApplicationOptions& options) {
  return convnext(options, {"ConvNeXtTiny", "convnext_tiny", {3, 3, 9, 3}, {96, 192, 384, 768}});
}
Model ConvNeXtSmall(const ApplicationOptions& options) {
  return convnext(options, {"ConvNeXtSmall", "convnext_small", {3, 3, 27, 3}, {96, 192, 384, 768}});
}
Model ConvNeXtBase(const ApplicationOptions& options) {
  return convnext(options, {"ConvNeXtBase", "convnext_base", {3, 3, 27, 3}, {128, 256, 512, 1024}});
}
Model ConvNeXtLarge(const ApplicationOptions& options) {
  return convnext(options,
                  {"ConvNeXtLarge", "convnext_large", {3, 3, 27, 3}, {192, 384, 768, 1536}});
}
Model ConvNeXtXLarge(const ApplicationOptions& options) {
  return convnext(options,
                  {"ConvNeXtXLarge", "convnext_xlarge", {3, 3, 27, 3}, {256, 512, 1024, 2048}});
}

}  // namespace applications
}  // namespace systolic::inline v0
