// The totals of a model's loss and metrics as arrays, so that an epoch that was cut goes on as if
// it had not been. Internal to train.
#pragma once

#include "systolic/core/example.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// "0.loss/total", "0.loss/count", "1.accuracy/total". Waits for the steps before.
Example metric_totals(const ModelState& model);

// False, and nothing changes, where the arrays are not those of this model's metrics. Totals must
// have been made, which a step's program or reading them does.
bool load_metric_totals(ModelState& model, const Example& totals);

}  // namespace systolic::inline v0
