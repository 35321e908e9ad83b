// A model as TensorFlow's SavedModel, which TensorFlow loads and runs without this library.
//
//   export_saved_model(model, "mnist_saved");
//
//   loaded = tf.saved_model.load("mnist_saved")                   # in Python, TensorFlow 2.21
//   loaded.signatures["serving_default"](images=images)["dense"]  # any number of rows
//
// The folder holds saved_model.pb, with the forward pass as StableHLO in an XlaCallModule, and the
// variables as a tensor bundle, variables/variables.
#pragma once

#include <string>

#include "systolic/train/model/model.h"

namespace systolic::inline v0 {

// Inputs and outputs of the signature "serving_default" have the names of the model's. The bundle
// is written first, saved_model.pb last; what is there of an earlier one is replaced. A model whose
// shapes are not known, or an output without a batch axis, is a FailedPrecondition; one that does
// not compute each row alone, or draws at random, an Unimplemented.
void export_saved_model(const Model& model, const std::string& folder,
                        SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
