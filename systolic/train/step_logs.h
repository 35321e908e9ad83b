// The loss and metrics of a model, which live on the device, as numbers with their names. Internal
// to train.
#pragma once

#include "systolic/train/model_state.h"

namespace systolic::inline v0 {

// As they stand. Waits for the steps before.
Logs read_logs(ModelState& model);
// Their names, each with a NaN: of an epoch whose steps are not known.
Logs unknown_logs(const ModelState& model);
void reset_logs(ModelState& model);

}  // namespace systolic::inline v0
