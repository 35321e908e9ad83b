// Xception: depthwise separable convolutions with shortcuts around each block.
#include "systolic/applications/applications.h"
#include "systolic/applications/architecture.h"
#include "systolic/base/text.h"
#include "systolic/nn/layers/all.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

Symbol xception_norm(const Symbol& x, const std::string& name) {
  return BatchNormalization{.name = name + "_bn"}(x);
}

Symbol xception_relu(const Symbol& x, const std::string& name) {
  return ActivationLayer{.activation = "relu", .name = name + "_act"}(x);
}

Symbol separable(const Symbol& x, int64_t filters, const std::string& name) {
  const Symbol y = SeparableConv2D{
      .filters = filters, .kernel_size = 3, .padding = "same", .use_bias = false, .name = name}(x);
  return xception_norm(y, name);
}

Symbol entry_convolution(const Symbol& x, int64_t filters, int64_t stride,
                         const std::string& name) {
  const Symbol y = Conv2D{
      .filters = filters, .kernel_size = 3, .strides = stride, .use_bias = false, .name = name}(x);
  return xception_relu(xception_norm(y, name), name);
}

Symbol projected_shortcut(Architecture& net, const Symbol& x, int64_t filters) {
  const Symbol y = Conv2D{.filters = filters,
                          .kernel_size = 1,
                          .strides = 2,
                          .padding = "same",
                          .use_bias = false,
                          .name = net.next("conv2d")}(x);
  return BatchNormalization{.name = net.next("batch_normalization")}(y);
}

// A block that halves the feature map.
Symbol reducing_block(Architecture& net, const Symbol& x, int block, int64_t first_filters,
                      int64_t filters) {
  const std::string name = str("block", block);
  const Symbol shortcut = projected_shortcut(net, x, filters);
  // The first block follows an activation.
  Symbol y = block == 2 ? x : xception_relu(x, name + "_sepconv1");
  y = xception_relu(separable(y, first_filters, name + "_sepconv1"), name + "_sepconv2");
  y = separable(y, filters, name + "_sepconv2");
  y = MaxPooling2D{.pool_size = 3, .strides = 2, .padding = "same", .name = name + "_pool"}(y);
  return Add{.name = net.next("add")}({y, shortcut});
}

Symbol middle_block(Architecture& net, const Symbol& x, int block) {
  Symbol y = x;
  for (int i = 1; i <= 3; ++i) {
    const std::string name = str("block", block, "_sepconv", i);
    y = separable(xception_relu(y, name), 728, name);
  }
  return Add{.name = net.next("add")}({y, x});
}

}  // namespace

Model Xception(const ApplicationOptions& options) {
  Architecture net({.name = "Xception", .default_size = 299, .least_size = 71}, options);
  Symbol x = entry_convolution(net.image(), 32, 2, "block1_conv1");
  x = entry_convolution(x, 64, 1, "block1_conv2");
  x = reducing_block(net, x, 2, 128, 128);
  x = reducing_block(net, x, 3, 256, 256);
  x = reducing_block(net, x, 4, 728, 728);
  for (int block = 5; block <= 12; ++block) x = middle_block(net, x, block);
  x = reducing_block(net, x, 13, 728, 1024);
  x = xception_relu(separable(x, 1536, "block14_sepconv1"), "block14_sepconv1");
  x = xception_relu(separable(x, 2048, "block14_sepconv2"), "block14_sepconv2");
  return net.model(net.top(x), "xception", "xception");
}

}  // namespace applications
}  // namespace systolic::inline v0
