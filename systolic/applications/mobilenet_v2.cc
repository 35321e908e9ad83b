// MobileNetV2: a block widens its channels, convolves each by itself, and narrows them again
// around a shortcut.
#include "systolic/applications/applications.h"
#include "systolic/applications/architecture.h"
#include "systolic/base/text.h"
#include "systolic/nn/layers/all.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

struct MobileNetV2Block {
  int64_t filters, stride, expansion;
};

constexpr MobileNetV2Block mobilenet_v2_blocks[] = {
    {16, 1, 1}, {24, 2, 6},  {24, 1, 6},  {32, 2, 6},  {32, 1, 6}, {32, 1, 6},
    {64, 2, 6}, {64, 1, 6},  {64, 1, 6},  {64, 1, 6},  {96, 1, 6}, {96, 1, 6},
    {96, 1, 6}, {160, 2, 6}, {160, 1, 6}, {160, 1, 6}, {320, 1, 6}};

Symbol v2_norm(const Symbol& x, const std::string& name) {
  return BatchNormalization{.momentum = 0.999, .name = name}(x);
}

Symbol v2_relu6(const Symbol& x, const std::string& name) {
  return ReLU{.max_value = 6.0, .name = name}(x);
}

Symbol v2_pointwise(const Symbol& x, int64_t filters, const std::string& name) {
  return Conv2D{
      .filters = filters, .kernel_size = 1, .padding = "same", .use_bias = false, .name = name}(x);
}

Symbol v2_depthwise(Symbol x, int64_t stride, const std::string& prefix) {
  if (stride == 2)
    x = ZeroPadding2D{.padding = padding_of_stride_2(x, 3), .name = prefix + "pad"}(x);
  x = DepthwiseConv2D{.kernel_size = 3,
                      .strides = stride,
                      .padding = padding_of_stride(stride),
                      .use_bias = false,
                      .name = prefix + "depthwise"}(x);
  return v2_relu6(v2_norm(x, prefix + "depthwise_BN"), prefix + "depthwise_relu");
}

Symbol inverted_residual(const Symbol& input, const MobileNetV2Block& block, double alpha,
                         int number) {
  const int64_t in = input.shape()[3];
  const int64_t out = rounded_filters(
      static_cast<double>(static_cast<int64_t>(static_cast<double>(block.filters) * alpha)));
  const std::string prefix = number == 0 ? "expanded_conv_" : str("block_", number, "_");
  Symbol x = input;
  if (number > 0) {
    x = v2_pointwise(x, block.expansion * in, prefix + "expand");
    x = v2_relu6(v2_norm(x, prefix + "expand_BN"), prefix + "expand_relu");
  }
  x = v2_depthwise(x, block.stride, prefix);
  x = v2_norm(v2_pointwise(x, out, prefix + "project"), prefix + "project_BN");
  return in == out && block.stride == 1 ? Add{.name = prefix + "add"}({input, x}) : x;
}

}  // namespace

Model MobileNetV2(const ApplicationOptions& options) {
  Architecture net({.name = "MobileNetV2", .own = {.alpha = true}, .sizes = {96, 128, 160, 192}},
                   options);
  const double alpha = options.alpha.value_or(1.0);
  Symbol x = Conv2D{.filters = rounded_filters(32 * alpha),
                    .kernel_size = 3,
                    .strides = 2,
                    .padding = "same",
                    .use_bias = false,
                    .name = "Conv1"}(net.image());
  x = v2_relu6(v2_norm(x, "bn_Conv1"), "Conv1_relu");
  int number = 0;
  for (const MobileNetV2Block& block : mobilenet_v2_blocks)
    x = inverted_residual(x, block, alpha, number++);
  x = Conv2D{.filters = alpha > 1 ? rounded_filters(1280 * alpha) : 1280,
             .kernel_size = 1,
             .use_bias = false,
             .name = "Conv_1"}(x);
  x = v2_relu6(v2_norm(x, "Conv_1_bn"), "out_relu");
  const std::string name = str("mobilenetv2_", fixed(alpha, 2), "_");
  return net.model(net.top(x, {.average = ""}), name + net.height_text(),
                   str(name, net.published_size()));
}

}  // namespace applications
}  // namespace systolic::inline v0
