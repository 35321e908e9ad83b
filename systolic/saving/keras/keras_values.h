// Values of configurations as Keras 3 spells them, and back: initializers, regularizers, dtype
// policies and lists. Internal to saving.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "systolic/nn/config/config.h"

namespace systolic::inline v0 {
namespace saving {

// {"module", "class_name", "config", "registered_name": null}
Config keras_object(std::string_view module, std::string_view class_name, Config config);

// The value of a layer's field. `layer` writes a layer that stands in a field.
using LayerWriter = std::function<Config(const Config& layer)>;
Config to_keras_value(std::string_view field, const Config& value, const LayerWriter& layer);

// `layer` reads what stands in an entry and is none of the above. Code (a lambda) is refused.
using LayerReader = std::function<Config(const Config& layer)>;
Config from_keras_value(const Config& value, const LayerReader& layer);

// The name of the dtype policy that "dtype" holds, as text or as an object.
std::string dtype_policy_name(const Config& value);

}  // namespace saving
}  // namespace systolic::inline v0
