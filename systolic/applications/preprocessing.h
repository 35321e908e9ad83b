// What goes into the convnets of keras.applications, and what comes out
// (keras.applications.imagenet_utils).
//
//   Tensor x = applications::preprocess_input("VGG16", pixels);   // [batch, 224, 224, 3], 0 to 255
//   for (const applications::NamedClass& one :
//        applications::decode_predictions(model.predict(x))[0]) {
//     std::cout << one.name << " " << one.score << "\n";
//   }
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/core/literal.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace applications {

// Pixels, 0 to 255, red, green and blue last ([..., 3]), as the architecture of that name was
// trained with:
//   VGG, ResNet                        blue, green, red, minus ImageNet's means ("caffe")
//   DenseNet                           pixels / 255, normalized by ImageNet's statistics ("torch")
//   Xception, Inception, MobileNet,
//   MobileNetV2, ResNet v2, NASNet     from -1 to 1 ("tf")
//   EfficientNet, ConvNeXt, MobileNetV3   unchanged: their first layers do it
// An unknown name, and pixels that do not have 3 channels where these are told apart, are an
// InvalidArgument. Integers become f32.
Tensor preprocess_input(std::string_view application, const Tensor& pixels,
                        SourceLocation location = SourceLocation::current());
// The same of an array on the host, as in Dataset::map.
Literal preprocess_input(std::string_view application, const Literal& pixels,
                         SourceLocation location = SourceLocation::current());
struct NamedClass {
  std::string id;    // of WordNet, "n02123045"
  std::string name;  // "tabby"
  double score = 0;
};

struct DecodeOptions {
  int64_t top = 5;  // classes of each row
  // JSON of {"0": ["n01440764", "tench"], ...}. Empty: Keras's, from ~/.keras/models or its
  // address.
  std::string class_index = {};
  SourceLocation location = SourceLocation::current();  // that errors name
};

// The classes of the highest scores, best first, of each row of [batch, 1000]. Another shape is an
// InvalidArgument.
std::vector<std::vector<NamedClass>> decode_predictions(const Literal& predictions,
                                                        const DecodeOptions& options = {});

}  // namespace applications
}  // namespace systolic::inline v0
