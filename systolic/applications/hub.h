// A feature vector of a picture as a layer, from the SavedModel that holds its weights
// (tensorflow_hub's hub.KerasLayer), for the convnets of applications.h:
//
//   Model model = Sequential({Input{.shape = {512, 512, 3}},
//                             hub::KerasLayer("efficientnet_b7", {.trainable = true}),
//                             Dense{.units = 5}});
//
// The architecture is recognized by the number and the sizes of the folder's variables, and made by
// this library; the folder's own graph is never run. Pictures go in as the variables were trained:
// those that keras.applications made take what applications::preprocess_input gives.
#pragma once

#include <string>

#include "systolic/base/source_location.h"
#include "systolic/core/shape.h"
#include "systolic/nn/layer.h"

namespace systolic::inline v0 {
namespace hub {

struct KerasLayerOptions {
  bool trainable = false;       // whether fit changes its weights
  Shape input_shape = {};       // [height, width, channels]; empty: any size of 3 channels
  std::string pooling = "avg";  // of the last feature map: "avg", "max", or "" for the map itself
};
// A layer [batch, height, width, 3] -> [batch, features]. `folder` is local or remote. NotFound
// without variables/variables.index in it; Unimplemented, with what the folder holds, where the
// variables are those of no architecture without its classifier.
Layer KerasLayer(const std::string& folder, const KerasLayerOptions& options = {},
                 SourceLocation location = SourceLocation::current());

// "EfficientNetB7": whose variables a SavedModel's are; "" for those of none.
std::string architecture_in(const std::string& folder,
                            SourceLocation location = SourceLocation::current());

}  // namespace hub
}  // namespace systolic::inline v0
