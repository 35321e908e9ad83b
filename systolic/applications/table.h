// All architectures by name. Internal to applications.
#pragma once

#include <string_view>

#include "systolic/base/source_location.h"

namespace systolic::inline v0 {
namespace applications {

// How pixels are scaled in front of the model (preprocessing.h).
enum class Preprocessing { none, tf, caffe, torch };

Preprocessing preprocessing_of(std::string_view application, SourceLocation location);

}  // namespace applications
}  // namespace systolic::inline v0
