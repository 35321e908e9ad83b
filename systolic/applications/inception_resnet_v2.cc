// Inception-ResNet v2: branches of convolutions whose sum, scaled down, is added to their input.
#include "systolic/applications/applications.h"
#include "systolic/applications/architecture.h"
#include "systolic/applications/inception_parts.h"
#include "systolic/applications/scaled_sum.h"
#include "systolic/base/text.h"
#include "systolic/nn/layers/all.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

class InceptionResNetLayers : public InceptionParts {
 public:
  using InceptionParts::InceptionParts;

  Symbol stem(const Symbol& image) {
    const Symbol x = stem_convolutions(image);
    const Symbol one = convolution(x, 96, 1);
    const Symbol two = convolution(convolution(x, 48, 1), 64, 5);
    const Symbol three = convolution(convolution(convolution(x, 64, 1), 96, 3), 96, 3);
    const Symbol four = averaged(x, 64);
    return joined({one, two, three, four}, "mixed_5b");
  }

  Symbol block_35(const Symbol& x, int number) {
    const Symbol one = convolution(x, 32, 1);
    const Symbol two = convolution(convolution(x, 32, 1), 32, 3);
    const Symbol three = convolution(convolution(convolution(x, 32, 1), 48, 3), 64, 3);
    return residual(x, {one, two, three}, 0.17, str("block35_", number));
  }

  Symbol to_17(const Symbol& x) {
    const Symbol one = convolution(x, 384, 3, 2, "valid");
    Symbol two = convolution(convolution(x, 256, 1), 256, 3);
    two = convolution(two, 384, 3, 2, "valid");
    return joined({one, two, reduced(x)}, "mixed_6a");
  }

  Symbol block_17(const Symbol& x, int number) {
    const Symbol one = convolution(x, 192, 1);
    const Symbol two = convolution(convolution(convolution(x, 128, 1), 160, {1, 7}), 192, {7, 1});
    return residual(x, {one, two}, 0.1, str("block17_", number));
  }

  Symbol to_8(const Symbol& x) {
    const Symbol one = convolution(convolution(x, 256, 1), 384, 3, 2, "valid");
    const Symbol two = convolution(convolution(x, 256, 1), 288, 3, 2, "valid");
    Symbol three = convolution(convolution(x, 256, 1), 288, 3);
    three = convolution(three, 320, 3, 2, "valid");
    return joined({one, two, three, reduced(x)}, "mixed_7a");
  }

  // The last block is added whole, and not activated.
  Symbol block_8(const Symbol& x, int number, bool last) {
    const Symbol one = convolution(x, 192, 1);
    const Symbol two = convolution(convolution(convolution(x, 192, 1), 224, {1, 3}), 256, {3, 1});
    return residual(x, {one, two}, last ? 1.0 : 0.2, str("block8_", number), !last);
  }

  Symbol last_convolution(const Symbol& x) {
    Symbol y = Conv2D{.filters = 1536,
                      .kernel_size = 1,
                      .padding = "same",
                      .use_bias = false,
                      .name = "conv_7b"}(x);
    y = BatchNormalization{.scale = false, .name = "conv_7b_bn"}(y);
    return ActivationLayer{.activation = "relu", .name = "conv_7b_ac"}(y);
  }

 private:
  Symbol residual(const Symbol& x, const std::vector<Symbol>& branches, double scale,
                  const std::string& name, bool activated = true) {
    const Symbol up = Conv2D{.filters = x.shape()[3],
                             .kernel_size = 1,
                             .padding = "same",
                             .name = name + "_conv"}(joined(branches, name + "_mixed"));
    const Symbol y = ScaledSum{.scale = scale, .name = next("custom_scale_layer")}({x, up});
    return activated ? ActivationLayer{.activation = "relu", .name = name + "_ac"}(y) : y;
  }
};

}  // namespace

Model InceptionResNetV2(const ApplicationOptions& options) {
  Architecture net({.name = "InceptionResNetV2", .default_size = 299, .least_size = 75}, options);
  InceptionResNetLayers layers(net);
  Symbol x = layers.stem(net.image());
  for (int i = 1; i <= 10; ++i) x = layers.block_35(x, i);
  x = layers.to_17(x);
  for (int i = 1; i <= 20; ++i) x = layers.block_17(x, i);
  x = layers.to_8(x);
  for (int i = 1; i <= 10; ++i) x = layers.block_8(x, i, i == 10);
  x = layers.last_convolution(x);
  return net.model(net.top(x), "inception_resnet_v2", "inception_resnet_v2");
}

}  // namespace applications
}  // namespace systolic::inline v0
