// What a model was compiled with, as Keras's compile_config, both ways. Internal to saving.
#pragma once

#include <string>
#include <vector>

#include "systolic/train/model/model.h"

namespace systolic::inline v0 {
namespace saving {

// The model must be compiled. What no file can hold (a loss, metric or schedule that is the
// program's own code) is added to `problems`.
Config compile_to_keras(const Model& model, std::vector<std::string>& problems);

// Compiles the model. What is not known is an error that names it.
void compile_from_keras(Model& model, const Config& config, SourceLocation location);

}  // namespace saving
}  // namespace systolic::inline v0
