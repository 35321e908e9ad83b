// The loop of fit, one for every backend. Internal to train.
#pragma once

#include "systolic/events/event_stream.h"
#include "systolic/train/loops/fit_call.h"

namespace systolic::inline v0 {

// Trains; what happens goes to `stream`.
void run_fit_loop(const FitCall& call, EventStream& stream, const InterruptGuard& interrupt);

}  // namespace systolic::inline v0
