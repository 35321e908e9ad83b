// VGG16 and VGG19: blocks of 3 x 3 convolutions, each followed by a pooling.
#include "systolic/applications/applications.h"
#include "systolic/applications/architecture.h"
#include "systolic/base/text.h"
#include "systolic/nn/layers/all.h"

namespace systolic::inline v0 {
namespace applications {
namespace {

Symbol vgg_block(Symbol x, int block, int64_t filters, int convolutions) {
  const std::string name = str("block", block);
  for (int i = 1; i <= convolutions; ++i) {
    x = Conv2D{.filters = filters,
               .kernel_size = 3,
               .padding = "same",
               .activation = "relu",
               .name = str(name, "_conv", i)}(x);
  }
  return MaxPooling2D{.pool_size = 2, .strides = 2, .name = name + "_pool"}(x);
}

Symbol vgg_classifier(const Symbol& features, const ApplicationOptions& options) {
  Symbol x = Flatten{.name = "flatten"}(features);
  x = Dense{.units = 4096, .activation = "relu", .name = "fc1"}(x);
  x = Dense{.units = 4096, .activation = "relu", .name = "fc2"}(x);
  return Dense{.units = options.classes,
               .activation = options.classifier_activation,
               .name = "predictions"}(x);
}

// `deep`: convolutions in each of the last three blocks.
Model vgg(const ApplicationOptions& options, const char* name, const char* file, int deep) {
  Architecture net({.name = name}, options);
  Symbol x = vgg_block(net.image(), 1, 64, 2);
  x = vgg_block(x, 2, 128, 2);
  x = vgg_block(x, 3, 256, deep);
  x = vgg_block(x, 4, 512, deep);
  x = vgg_block(x, 5, 512, deep);
  return net.model(options.include_top ? vgg_classifier(x, options) : net.pooled(x), file, file);
}

}  // namespace

Model VGG16(const ApplicationOptions& options) { return vgg(options, "VGG16", "vgg16", 3); }
Model VGG19(const ApplicationOptions& options) { return vgg(options, "VGG19", "vgg19", 4); }

}  // namespace applications
}  // namespace systolic::inline v0
