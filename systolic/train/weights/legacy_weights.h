// Weights as Keras's .h5 of old has them: "layer_names" at the top, a group for each layer with
// "weight_names" and arrays of these names. Internal to train and saving.
#pragma once

#include <string>

#include "systolic/io/hdf5/hdf5.h"
#include "systolic/train/model/model.h"
#include "systolic/train/weights/weight_file.h"
#include "systolic/train/weights/weight_match.h"

namespace systolic::inline v0 {
namespace saving {

// The version whose dialect is written.
inline constexpr const char* keras_version = "3.15.0";

// Adds the groups of the layers below `path` ("": the root), and the optimizer's as
// "optimizer_weights".
void add_legacy_weights(const Model& model, const std::string& path, WeightFile& file);
void add_legacy_optimizer(const Model& model, WeightFile& file);

// Sets the variables from the groups in `layers`: by the layers' names where the file has those of
// the model, else, without by_name, the n-th layer that has weights from the n-th in the file that
// does. Sets the optimizer's as `optimizer` says, where the file has them.
void set_legacy_weights(Model& model, const io::Hdf5File& file, const io::Hdf5Group& layers,
                        OptimizerPart optimizer, const LoadWeightsOptions& options,
                        SourceLocation location);

}  // namespace saving
}  // namespace systolic::inline v0
