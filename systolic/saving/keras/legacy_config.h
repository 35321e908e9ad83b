// Configurations in the dialects of Keras 1 and 2, and of Keras 3's own .h5, made into Keras 3's.
// Internal to saving.
#pragma once

#include "systolic/nn/config/config.h"

namespace systolic::inline v0 {
namespace saving {

// {"class_name": "Sequential" or "Functional", "config": ...} as network_from_keras reads it.
// More than 50 networks in each other are an InvalidArgument.
Config modern_network(const Config& network);
// "training_config" as compile_from_keras reads it.
Config modern_compile_config(const Config& training);

// The other way: what network_to_keras and compile_to_keras give, as Keras's .h5 has it.
Config legacy_network(const Config& network);
Config legacy_training_config(const Config& compile_config);

}  // namespace saving
}  // namespace systolic::inline v0
