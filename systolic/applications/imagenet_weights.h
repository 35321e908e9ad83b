// Keras's files of weights trained on ImageNet. Internal to applications.
#pragma once

#include <string>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace applications {

// Where the file lies on this machine: in ~/.keras/models, where Keras has it too, else it is
// downloaded to there. `key` is the model's name and settings, "efficientnetb0" or
// "mobilenetv2_0.50_96"; settings without a file are a NotFound that lists those with one.
std::string imagenet_weights(const std::string& key, bool include_top, SourceLocation location);

// A file that Keras publishes, in that folder.
std::string keras_file(const std::string& url, const std::string& digest, SourceLocation location);

}  // namespace applications
}  // namespace systolic::inline v0
