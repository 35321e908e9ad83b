// The user's own step (CompileOptions::train_step, test_step). Internal to train.
#pragma once

#include "systolic/train/step/step_computation.h"

namespace systolic::inline v0 {

// Calls it, and keeps what it logs in variables. Gives the scalar that it calls "loss", else the
// first; 0 without any.
Tensor run_own_step(const ModelState& model, BoundStep& own, const StepTensors& step);

}  // namespace systolic::inline v0
