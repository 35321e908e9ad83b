// MobileNetV3: v2's blocks with hard swish, and with squeeze and excitation.
#include <vector>

#include "systolic/applications/applications.h"
#include "systolic/applications/architecture.h"
#include "systolic/base/text.h"
#include "systolic/nn/layers/all.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

// `wide`: the kernel is 5 x 5 instead of 3 x 3; `swish`: hard swish instead of ReLU; `excites`:
// with squeeze and excitation. Minimalistic networks have none of the three.
struct MobileNetV3Block {
  double expansion;
  int64_t filters;
  bool wide;
  int64_t stride;
  bool excites, swish;
};

const std::vector<MobileNetV3Block> small_blocks = {{1, 16, false, 2, true, false},
                                                    {72.0 / 16, 24, false, 2, false, false},
                                                    {88.0 / 24, 24, false, 1, false, false},
                                                    {4, 40, true, 2, true, true},
                                                    {6, 40, true, 1, true, true},
                                                    {6, 40, true, 1, true, true},
                                                    {3, 48, true, 1, true, true},
                                                    {3, 48, true, 1, true, true},
                                                    {6, 96, true, 2, true, true},
                                                    {6, 96, true, 1, true, true},
                                                    {6, 96, true, 1, true, true}};

const std::vector<MobileNetV3Block> large_blocks = {
    {1, 16, false, 1, false, false},  {4, 24, false, 2, false, false},
    {3, 24, false, 1, false, false},  {3, 40, true, 2, true, false},
    {3, 40, true, 1, true, false},    {3, 40, true, 1, true, false},
    {6, 80, false, 2, false, true},   {2.5, 80, false, 1, false, true},
    {2.3, 80, false, 1, false, true}, {2.3, 80, false, 1, false, true},
    {6, 112, false, 1, true, true},   {6, 112, false, 1, true, true},
    {6, 160, true, 2, true, true},    {6, 160, true, 1, true, true},
    {6, 160, true, 1, true, true}};

class MobileNetV3Layers {
 public:
  explicit MobileNetV3Layers(Architecture& net)
      : net_(net),
        alpha_(net.options().alpha.value_or(1.0)),
        minimalistic_(net.options().minimalistic.value_or(false)) {}

  Symbol stem(Symbol x) {
    if (net_.options().include_preprocessing.value_or(true))
      x = Rescaling{.scale = 1.0 / 127.5, .offset = -1.0, .name = net_.next("rescaling")}(x);
    x = Conv2D{.filters = 16,
               .kernel_size = 3,
               .strides = 2,
               .padding = "same",
               .use_bias = false,
               .name = "conv"}(x);
    return activated(norm(x, "conv_bn"), true);
  }

  Symbol block(const Symbol& input, const MobileNetV3Block& block, int number) {
    const int64_t in = input.shape()[3], out = rounded(static_cast<double>(block.filters) * alpha_);
    const int64_t wide = rounded(static_cast<double>(in) * block.expansion);
    const std::string prefix = number == 0 ? "expanded_conv_" : str("expanded_conv_", number, "_");
    Symbol x = input;
    if (number > 0) {
      x = norm(pointwise(x, wide, prefix + "expand"), prefix + "expand_bn");
      x = activated(x, block.swish);
    }
    x = activated(depthwise(x, block.wide && !minimalistic_ ? 5 : 3, block.stride, prefix),
                  block.swish);
    if (block.excites && !minimalistic_) x = excited(x, wide, prefix);
    x = norm(pointwise(x, out, prefix + "project"), prefix + "project_bn");
    return block.stride == 1 && in == out ? Add{.name = prefix + "add"}({input, x}) : x;
  }

  Symbol last_convolution(const Symbol& x) {
    const int64_t filters = rounded(static_cast<double>(x.shape()[3]) * 6);
    return activated(norm(pointwise(x, filters, "conv_1"), "conv_1_bn"), true);
  }

  Symbol classifier(const Symbol& features, int64_t width) {
    const ApplicationOptions& options = net_.options();
    Symbol x = GlobalAveragePooling2D{.keepdims = true,
                                      .name = net_.next("global_average_pooling2d")}(features);
    if (alpha_ > 1) width = rounded(static_cast<double>(width) * alpha_);
    x = Conv2D{.filters = width, .kernel_size = 1, .padding = "same", .name = "conv_2"}(x);
    x = activated(x, true);
    const double rate = options.dropout.value_or(0.2);
    if (rate > 0) x = Dropout{.rate = rate, .name = net_.next("dropout")}(x);
    x = Conv2D{
        .filters = options.classes, .kernel_size = 1, .padding = "same", .name = "logits"}(x);
    x = Flatten{.name = net_.next("flatten")}(x);
    return ActivationLayer{.activation = options.classifier_activation, .name = "predictions"}(x);
  }

 private:
  static int64_t rounded(double filters) { return rounded_filters(filters); }

  static Symbol norm(const Symbol& x, const std::string& name) {
    return BatchNormalization{.momentum = 0.999, .name = name}(x);
  }

  static Symbol pointwise(const Symbol& x, int64_t filters, const std::string& name) {
    return Conv2D{
        .filters = filters, .kernel_size = 1, .padding = "same", .use_bias = false, .name = name}(
        x);
  }

  Symbol depthwise(Symbol x, int64_t kernel_size, int64_t stride, const std::string& prefix) {
    if (stride == 2) {
      x = ZeroPadding2D{.padding = padding_of_stride_2(x, kernel_size),
                        .name = prefix + "depthwise_pad"}(x);
    }
    x = DepthwiseConv2D{.kernel_size = kernel_size,
                        .strides = stride,
                        .padding = padding_of_stride(stride),
                        .use_bias = false,
                        .name = prefix + "depthwise"}(x);
    return norm(x, prefix + "depthwise_bn");
  }

  Symbol excited(const Symbol& x, int64_t filters, const std::string& prefix) {
    const std::string name = prefix + "squeeze_excite_";
    Symbol y = GlobalAveragePooling2D{.keepdims = true, .name = name + "avg_pool"}(x);
    y = Conv2D{.filters = rounded(static_cast<double>(filters) * 0.25),
               .kernel_size = 1,
               .padding = "same",
               .name = name + "conv"}(y);
    y = ReLU{.name = name + "relu"}(y);
    y = Conv2D{.filters = filters, .kernel_size = 1, .padding = "same", .name = name + "conv_1"}(y);
    // Hard sigmoid as the architecture defines it: relu6(y + 3) / 6.
    y = ReLU{.max_value = 6.0, .name = net_.next("re_lu")}(y + 3.0) * (1.0 / 6.0);
    return Multiply{.name = name + "mul"}({x, y});
  }

  Symbol activated(const Symbol& x, bool swish) {
    if (swish && !minimalistic_)
      return ActivationLayer{.activation = "hard_swish", .name = net_.next("activation")}(x);
    return ReLU{.name = net_.next("re_lu")}(x);
  }

  Architecture& net_;
  const double alpha_;
  const bool minimalistic_;
};

// `file`: "small" or "large"; `width`: of the layer in front of the classifier.
Model mobilenet_v3(const ApplicationOptions& options, const std::string& name, const char* file,
                   const std::vector<MobileNetV3Block>& blocks, int64_t width) {
  Architecture net({.name = name,
                    .own = {.alpha = true,
                            .dropout = true,
                            .minimalistic = true,
                            .include_preprocessing = true}},
                   options);
  MobileNetV3Layers layers(net);
  Symbol x = layers.stem(net.image());
  int number = 0;
  for (const MobileNetV3Block& block : blocks) x = layers.block(x, block, number++);
  x = layers.last_convolution(x);
  const std::string key =
      str(file, options.minimalistic.value_or(false) ? "_minimalistic" : "", "_224_",
          options.alpha.value_or(1.0) == 0.75 ? "0.75" : "1.0", "_float");
  const Top top{.pooled_average = "avg_pool", .pooled_max = "max_pool"};
  return net.model(options.include_top ? layers.classifier(x, width) : net.pooled(x, top), name,
                   key);
}

}  // namespace

Model MobileNetV3Small(const ApplicationOptions& options) {
  return mobilenet_v3(options, "MobileNetV3Small", "small", small_blocks, 1024);
}
Model MobileNetV3Large(const ApplicationOptions& options) {
  return mobilenet_v3(options, "MobileNetV3Large", "large", large_blocks, 1280);
}

}  // namespace applications
}  // namespace systolic::inline v0
