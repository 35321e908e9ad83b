#include "systolic/applications/inception_parts.h"

#include "systolic/nn/layers/all.h"

namespace systolic::inline v0 {
namespace applications {

Symbol InceptionParts::convolution(const Symbol& x, int64_t filters, Size2 kernel_size,
                                   int64_t stride, Padding padding) {
  Symbol y = Conv2D{.filters = filters,
                    .kernel_size = kernel_size,
                    .strides = stride,
                    .padding = padding,
                    .use_bias = false,
                    .name = next("conv2d")}(x);
  y = BatchNormalization{.scale = false, .name = next("batch_normalization")}(y);
  return ActivationLayer{.activation = "relu", .name = next("activation")}(y);
}

Symbol InceptionParts::reduced(const Symbol& x) {
  return MaxPooling2D{.pool_size = 3, .strides = 2, .name = next("max_pooling2d")}(x);
}

Symbol InceptionParts::averaged(const Symbol& x, int64_t filters) {
  const Symbol y = AveragePooling2D{
      .pool_size = 3, .strides = 1, .padding = "same", .name = next("average_pooling2d")}(x);
  return convolution(y, filters, 1);
}

Symbol InceptionParts::stem_convolutions(const Symbol& image) {
  Symbol x = convolution(image, 32, 3, 2, "valid");
  x = convolution(x, 32, 3, 1, "valid");
  x = reduced(convolution(x, 64, 3));
  x = convolution(x, 80, 1, 1, "valid");
  return reduced(convolution(x, 192, 3, 1, "valid"));
}

Symbol InceptionParts::joined(const std::vector<Symbol>& branches, const std::string& name) {
  return Concatenate{.axis = -1, .name = name}(branches);
}

}  // namespace applications
}  // namespace systolic::inline v0
