// What every function of keras.applications takes (applications.h has the functions).
//
//   Model model = applications::MobileNetV2({.include_top = false, .weights = "",
//                                            .input_shape = {96, 96, 3}, .pooling = "avg"});
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "systolic/base/source_location.h"
#include "systolic/core/shape.h"
#include "systolic/nn/activation.h"

namespace systolic::inline v0 {

struct ApplicationOptions {
  // The classifier on top: `classes` outputs. Without it the output is the last feature map,
  // [batch, height', width', channels], or what `pooling` makes of it.
  bool include_top = true;
  // "imagenet": Keras's own file of ImageNet's weights, looked for in ~/.keras/models and else
  // downloaded there, checked by its digest. "": drawn at random. Anything else is a file of
  // weights, in any form that Model::load_weights reads.
  std::string weights = "imagenet";
  // [height, width, channels]. Empty: the size that the architecture was published with; without
  // the classifier any size of 3 channels, [-1, -1, 3].
  Shape input_shape = {};
  std::string pooling = {};  // without the classifier: "avg", "max" or "" (none)
  int64_t classes = 1000;    // with ImageNet's weights and the classifier no other
  Activation classifier_activation = "softmax";  // "linear" gives logits
  std::string name = {};                         // of the model; empty: Keras's

  // What some architectures have besides; given to another one, each is an InvalidArgument.
  std::optional<double> alpha = {};  // MobileNets: multiplies the number of filters, 1 by default
  std::optional<int64_t> depth_multiplier = {};    // MobileNet: of its depthwise convolutions, 1
  std::optional<double> dropout = {};              // MobileNet 0.001, MobileNetV3 0.2
  std::optional<bool> minimalistic = {};           // MobileNetV3: without hard swish, excitation
  std::optional<bool> include_preprocessing = {};  // MobileNetV3, EfficientNetV2, ConvNeXt: true
  SourceLocation location = SourceLocation::current();  // that errors name
};

}  // namespace systolic::inline v0
