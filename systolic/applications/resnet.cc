// ResNet v1 and v2: stacks of bottleneck blocks (1 x 1, 3 x 3, 1 x 1) around shortcuts. v2
// normalizes and activates in front of each block's convolutions.
#include <array>

#include "systolic/applications/applications.h"
#include "systolic/applications/architecture.h"
#include "systolic/base/text.h"
#include "systolic/nn/layers/all.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

using Blocks = std::array<int, 4>;  // of each stack

Symbol resnet_norm(const Symbol& x, const std::string& name) {
  return BatchNormalization{.epsilon = 1.001e-5, .name = name + "_bn"}(x);
}

Symbol resnet_norm_relu(const Symbol& x, const std::string& name) {
  return ActivationLayer{.activation = "relu", .name = name + "_relu"}(resnet_norm(x, name));
}

Symbol resnet_convolution(const Symbol& x, int64_t filters, const std::string& name,
                          int64_t stride = 1, bool use_bias = true) {
  return Conv2D{.filters = filters,
                .kernel_size = 1,
                .strides = stride,
                .use_bias = use_bias,
                .name = name + "_conv"}(x);
}

Symbol block_v1(const Symbol& x, int64_t filters, int64_t stride, bool projects,
                const std::string& name) {
  const Symbol shortcut =
      projects ? resnet_norm(resnet_convolution(x, 4 * filters, name + "_0", stride), name + "_0")
               : x;
  Symbol y = resnet_norm_relu(resnet_convolution(x, filters, name + "_1", stride), name + "_1");
  y = Conv2D{.filters = filters, .kernel_size = 3, .padding = "same", .name = name + "_2_conv"}(y);
  y = resnet_norm_relu(y, name + "_2");
  y = resnet_norm(resnet_convolution(y, 4 * filters, name + "_3"), name + "_3");
  y = Add{.name = name + "_add"}({shortcut, y});
  return ActivationLayer{.activation = "relu", .name = name + "_out"}(y);
}

Symbol block_v2(Architecture& net, const Symbol& x, int64_t filters, int64_t stride, bool projects,
                const std::string& name) {
  const Symbol first = resnet_norm_relu(x, name + "_preact");
  Symbol shortcut = x;
  if (projects) {
    shortcut = resnet_convolution(first, 4 * filters, name + "_0", stride);
  } else if (stride > 1) {
    shortcut =
        MaxPooling2D{.pool_size = 1, .strides = stride, .name = net.next("max_pooling2d")}(x);
  }
  Symbol y =
      resnet_norm_relu(resnet_convolution(first, filters, name + "_1", 1, false), name + "_1");
  y = ZeroPadding2D{.padding = 1, .name = name + "_2_pad"}(y);
  y = Conv2D{.filters = filters,
             .kernel_size = 3,
             .strides = stride,
             .use_bias = false,
             .name = name + "_2_conv"}(y);
  y = resnet_convolution(resnet_norm_relu(y, name + "_2"), 4 * filters, name + "_3");
  return Add{.name = name + "_out"}({shortcut, y});
}

Symbol stem(const Symbol& image, bool v2) {
  Symbol x = ZeroPadding2D{.padding = 3, .name = "conv1_pad"}(image);
  x = Conv2D{.filters = 64, .kernel_size = 7, .strides = 2, .name = "conv1_conv"}(x);
  if (!v2) x = resnet_norm_relu(x, "conv1");
  x = ZeroPadding2D{.padding = 1, .name = "pool1_pad"}(x);
  return MaxPooling2D{.pool_size = 3, .strides = 2, .name = "pool1_pool"}(x);
}

constexpr std::array<int64_t, 4> stack_filters = {64, 128, 256, 512};

Model resnet_v1(const ApplicationOptions& options, const char* name, const char* file,
                const Blocks& blocks) {
  Architecture net({.name = name}, options);
  Symbol x = stem(net.image(), false);
  for (size_t stack = 0; stack < 4; ++stack) {
    for (int block = 1; block <= blocks[stack]; ++block) {
      const int64_t stride = block == 1 && stack > 0 ? 2 : 1;
      x = block_v1(x, stack_filters[stack], stride, block == 1,
                   str("conv", stack + 2, "_block", block));
    }
  }
  const Top top{.pooled_average = "avg_pool", .pooled_max = "max_pool"};
  return net.model(net.top(x, top), file, file);
}

// The last block of a stack, not its first, makes the feature map smaller.
Model resnet_v2(const ApplicationOptions& options, const char* name, const char* file,
                const Blocks& blocks) {
  Architecture net({.name = name}, options);
  Symbol x = stem(net.image(), true);
  for (size_t stack = 0; stack < 4; ++stack) {
    for (int block = 1; block <= blocks[stack]; ++block) {
      const int64_t stride = block == blocks[stack] && stack < 3 ? 2 : 1;
      x = block_v2(net, x, stack_filters[stack], stride, block == 1,
                   str("conv", stack + 2, "_block", block));
    }
  }
  x = resnet_norm_relu(x, "post");
  const Top top{.pooled_average = "avg_pool", .pooled_max = "max_pool"};
  return net.model(net.top(x, top), file, file);
}

}  // namespace

Model ResNet50(const ApplicationOptions& options) {
  return resnet_v1(options, "ResNet50", "resnet50", {3, 4, 6, 3});
}
Model ResNet101(const ApplicationOptions& options) {
  return resnet_v1(options, "ResNet101", "resnet101", {3, 4, 23, 3});
}
Model ResNet152(const ApplicationOptions& options) {
  return resnet_v1(options, "ResNet152", "resnet152", {3, 8, 36, 3});
}
Model ResNet50V2(const ApplicationOptions& options) {
  return resnet_v2(options, "ResNet50V2", "resnet50v2", {3, 4, 6, 3});
}
Model ResNet101V2(const ApplicationOptions& options) {
  return resnet_v2(options, "ResNet101V2", "resnet101v2", {3, 4, 23, 3});
}
Model ResNet152V2(const ApplicationOptions& options) {
  return resnet_v2(options, "ResNet152V2", "resnet152v2", {3, 8, 36, 3});
}

}  // namespace applications
}  // namespace systolic::inline v0
