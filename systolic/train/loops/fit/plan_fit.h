// The dry run of fit (systolic/plan/request.h): its training step for batches of any size, compiled
// by a TPU's own compiler. Internal to train.
#pragma once

#include "systolic/plan/request.h"
#include "systolic/train/loops/fit/fit_call.h"

namespace systolic::inline v0 {

// Reads the first batch, prints the plan of the step that it would be trained with, and ends the
// process.
[[noreturn]] void plan_fit(const plan::Request& request, const FitCall& call);

}  // namespace systolic::inline v0
