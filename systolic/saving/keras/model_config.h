// A model's configuration as Keras 3's JSON. Internal to saving.
#pragma once

#include <string_view>

#include "systolic/train/model/model.h"

namespace systolic::inline v0 {
namespace saving {

// With "compile_config" where asked for. What no file can hold is one Unimplemented that lists it
// and names the form; a model that is not built is a FailedPrecondition.
Config config_of_model(const Model& model, bool with_optimizer, std::string_view form);

}  // namespace saving
}  // namespace systolic::inline v0
