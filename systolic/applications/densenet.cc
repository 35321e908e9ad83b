// DenseNet: each layer of a block takes what all before it made.
#include <array>

#include "systolic/applications/applications.h"
#include "systolic/applications/architecture.h"
#include "systolic/base/text.h"
#include "systolic/nn/layers/all.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

constexpr int64_t growth_rate = 32;

Symbol densenet_norm_relu(const Symbol& x, const std::string& norm, const std::string& relu) {
  const Symbol y = BatchNormalization{.epsilon = 1.001e-5, .name = norm}(x);
  return ActivationLayer{.activation = "relu", .name = relu}(y);
}

Symbol densenet_convolution(const Symbol& x, int64_t filters, int64_t kernel_size,
                            const std::string& name) {
  return Conv2D{.filters = filters,
                .kernel_size = kernel_size,
                .padding = "same",
                .use_bias = false,
                .name = name}(x);
}

Symbol dense_block(Symbol x, int layers, const std::string& block) {
  for (int i = 1; i <= layers; ++i) {
    const std::string name = str(block, "_block", i);
    Symbol y = densenet_norm_relu(x, name + "_0_bn", name + "_0_relu");
    y = densenet_convolution(y, 4 * growth_rate, 1, name + "_1_conv");
    y = densenet_norm_relu(y, name + "_1_bn", name + "_1_relu");
    y = densenet_convolution(y, growth_rate, 3, name + "_2_conv");
    x = Concatenate{.axis = -1, .name = name + "_concat"}({x, y});
  }
  return x;
}

// Half as many channels on a feature map of half the size.
Symbol transition(const Symbol& x, const std::string& name) {
  Symbol y = densenet_norm_relu(x, name + "_bn", name + "_relu");
  y = densenet_convolution(y, x.shape()[3] / 2, 1, name + "_conv");
  return AveragePooling2D{.pool_size = 2, .strides = 2, .name = name + "_pool"}(y);
}

Model densenet(const ApplicationOptions& options, const char* name, const char* file,
               const std::array<int, 4>& blocks) {
  Architecture net({.name = name}, options);
  Symbol x = ZeroPadding2D{.padding = 3, .name = net.next("zero_padding2d")}(net.image());
  x = Conv2D{
      .filters = 64, .kernel_size = 7, .strides = 2, .use_bias = false, .name = "conv1_conv"}(x);
  x = densenet_norm_relu(x, "conv1_bn", "conv1_relu");
  x = ZeroPadding2D{.padding = 1, .name = net.next("zero_padding2d")}(x);
  x = MaxPooling2D{.pool_size = 3, .strides = 2, .name = "pool1"}(x);
  for (size_t i = 0; i < 4; ++i) {
    x = dense_block(x, blocks[i], str("conv", i + 2));
    if (i < 3) x = transition(x, str("pool", i + 2));
  }
  x = densenet_norm_relu(x, "bn", "relu");
  const Top top{.pooled_average = "avg_pool", .pooled_max = "max_pool"};
  return net.model(net.top(x, top), file, file);
}

}  // namespace

Model DenseNet121(const ApplicationOptions& options) {
  return densenet(options, "DenseNet121", "densenet121", {6, 12, 24, 16});
}
Model DenseNet169(const ApplicationOptions& options) {
  return densenet(options, "DenseNet169", "densenet169", {6, 12, 32, 32});
}
Model DenseNet201(const ApplicationOptions& options) {
  return densenet(options, "DenseNet201", "densenet201", {6, 12, 48, 32});
}

}  // namespace applications
}  // namespace systolic::inline v0
