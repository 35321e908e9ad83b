// Models from files (keras.saving.load_model).
//
//   Model model = load_model("mnist.keras");     // of Keras 3, or of Model::save
//   model.predict(images);
//   model.fit(train, {.epochs = 2});              // goes on with the optimizer's state
//
// Inside strategy.scope the model trains on the strategy's cores, on whatever many it was saved.
#pragma once

#include <string>

#include "systolic/train/model/model.h"
#include "systolic/train/options/save_options.h"

namespace systolic::inline v0 {

// By the path's ending: ".keras", or ".h5", of Keras 1, 2 and 3. Sequential and functional models
// of the layers of this library, and of kinds that register_layer made known. Compiled as it was
// saved, with the optimizer's state, unless LoadOptions::compile is false.
//
// A file that holds what this library does not know (a layer, one of its options, a loss) is an
// error that names it; so is code (Lambda), which is never run. Damage is a DataLoss.
Model load_model(const std::string& path, const LoadOptions& options = {},
                 SourceLocation location = SourceLocation::current());

// The layers that Model::to_json, or Keras's, wrote: new weights, not compiled.
//
//   Model twin = model_from_json(model.to_json());
Model model_from_json(const std::string& json, SourceLocation location = SourceLocation::current());

}  // namespace systolic::inline v0
