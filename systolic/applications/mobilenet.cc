// MobileNet (v1): depthwise convolutions, each followed by one of size 1.
#include "systolic/applications/applications.h"
#include "systolic/applications/architecture.h"
#include "systolic/base/text.h"
#include "systolic/nn/layers/all.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

struct MobileNetBlock {
  int64_t filters, stride;
};

constexpr MobileNetBlock mobilenet_blocks[] = {{64, 1},  {128, 2},  {128, 1}, {256, 2}, {256, 1},
                                               {512, 2}, {512, 1},  {512, 1}, {512, 1}, {512, 1},
                                               {512, 1}, {1024, 2}, {1024, 1}};

Symbol norm_relu6(const Symbol& x, const std::string& name) {
  const Symbol y = BatchNormalization{.name = name + "_bn"}(x);
  return ReLU{.max_value = 6.0, .name = name + "_relu"}(y);
}

Symbol mobilenet_block(Symbol x, int64_t filters, int64_t stride, int64_t depth_multiplier,
                       int number) {
  if (stride == 2)
    x = ZeroPadding2D{.padding = {{0, 1}, {0, 1}}, .name = str("conv_pad_", number)}(x);
  x = DepthwiseConv2D{.kernel_size = 3,
                      .strides = stride,
                      .padding = padding_of_stride(stride),
                      .depth_multiplier = depth_multiplier,
                      .use_bias = false,
                      .name = str("conv_dw_", number)}(x);
  x = norm_relu6(x, str("conv_dw_", number));
  x = Conv2D{.filters = filters,
             .kernel_size = 1,
             .padding = "same",
             .use_bias = false,
             .name = str("conv_pw_", number)}(x);
  return norm_relu6(x, str("conv_pw_", number));
}

Symbol mobilenet_classifier(Architecture& net, const Symbol& features) {
  const ApplicationOptions& options = net.options();
  Symbol x = GlobalAveragePooling2D{.keepdims = true,
                                    .name = net.next("global_average_pooling2d")}(features);
  x = Dropout{.rate = options.dropout.value_or(1e-3), .name = "dropout"}(x);
  x = Conv2D{
      .filters = options.classes, .kernel_size = 1, .padding = "same", .name = "conv_preds"}(x);
  x = Reshape{.target_shape = {options.classes}, .name = "reshape_2"}(x);
  return ActivationLayer{.activation = options.classifier_activation, .name = "predictions"}(x);
}

}  // namespace

Model MobileNet(const ApplicationOptions& options) {
  Architecture net({.name = "MobileNet",
                    .own = {.alpha = true, .depth_multiplier = true, .dropout = true},
                    .sizes = {128, 160, 192}},
                   options);
  const double alpha = options.alpha.value_or(1.0);
  const auto scaled = [&](int64_t filters) {
    return static_cast<int64_t>(static_cast<double>(filters) * alpha);
  };
  Symbol x = Conv2D{.filters = scaled(32),
                    .kernel_size = 3,
                    .strides = 2,
                    .padding = "same",
                    .use_bias = false,
                    .name = "conv1"}(net.image());
  x = norm_relu6(x, "conv1");
  int number = 0;
  for (const MobileNetBlock& block : mobilenet_blocks) {
    x = mobilenet_block(x, scaled(block.filters), block.stride,
                        options.depth_multiplier.value_or(1), ++number);
  }
  return net.model(options.include_top ? mobilenet_classifier(net, x) : net.pooled(x),
                   str("mobilenet_", fixed(alpha, 2), "_", net.height_text()),
                   str("mobilenet_", fixed(alpha, 2), "_", net.published_size()));
}

}  // namespace applications
}  // namespace systolic::inline v0
