// Keras's older .h5 of a whole model: its configuration as attributes of the root, weights under
// "model_weights", the optimizer's under "optimizer_weights". Internal to saving.
#pragma once

#include <string>

#include "systolic/train/model/model.h"

namespace systolic::inline v0 {
namespace saving {

// As Keras 3.15 writes it.
void write_h5_file(const Model& model, const std::string& path, const SaveOptions& options,
                   SourceLocation location);
// Of Keras 1, 2 and 3. A file of weights alone is an InvalidArgument.
Model read_h5_file(const std::string& path, const LoadOptions& options, SourceLocation location);

}  // namespace saving
}  // namespace systolic::inline v0
