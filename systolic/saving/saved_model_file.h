// SavedModels as a form of whole models. Internal to saving.
#pragma once

#include <string>

#include "systolic/train/model/model.h"

namespace systolic::inline v0 {
namespace saving {

// What export_saved_model writes, and the layers as JSON where TensorFlow leaves files alone,
// assets.extra/systolic_model.json: for read_saved_model_file. Without the optimizer.
void write_saved_model_file(const Model& model, const std::string& folder,
                            const SaveOptions& options, SourceLocation location);
// Reads those of tf_keras, by its keras_metadata.pb, with the optimizer's state, and of the above.
// A folder that has neither is an InvalidArgument: its graph is never run.
Model read_saved_model_file(const std::string& folder, const LoadOptions& options,
                            SourceLocation location);

bool is_saved_model_folder(const std::string& path, SourceLocation location);

}  // namespace saving
}  // namespace systolic::inline v0
