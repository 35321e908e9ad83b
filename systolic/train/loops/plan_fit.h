// The dry run of fit (systolic/plan/request.h): its training step for batches of any size, compiled
// by a TPU's own compiler. Internal to train.
#pragma once

#include "systolic/plan/request.h"
#include "systolic/train/batches/step_input.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// Prints the plan of the step that `input` would be trained with, and ends the process.
[[noreturn]] void plan_fit(const plan::Request& request, ModelState& model, const StepInput& input,
                           SourceLocation location);

}  // namespace systolic::inline v0
