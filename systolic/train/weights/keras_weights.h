// Keras 3's model.weights.h5: each layer's variables under "PATH/vars/0", "1", ..., the optimizer's
// under "optimizer/vars". Internal to train and saving.
#pragma once

#include <string>

#include "systolic/train/model/model.h"
#include "systolic/train/weights/keras_arrays.h"
#include "systolic/train/weights/weight_file.h"
#include "systolic/train/weights/weight_match.h"

namespace systolic::inline v0 {
namespace saving {

// The model is built; compiled, too, where the optimizer is asked for.
WeightFile keras_weight_file(const Model& model, bool with_optimizer);

// Sets all variables, or none (weight_match.h). A file without an optimizer's variables leaves the
// optimizer as it is.
void set_keras_weights(Model& model, const KerasArrays& file, OptimizerPart optimizer,
                       const LoadWeightsOptions& options, SourceLocation location);

}  // namespace saving
}  // namespace systolic::inline v0
