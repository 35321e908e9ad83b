// The loop of fit, one for every backend. Internal to train.
#pragma once

#include <cstdint>

#include "systolic/events/event_stream.h"
#include "systolic/train/loops/fit/fit_call.h"

namespace systolic::inline v0 {

// What ended a fit.
enum class FitEnd : uint8_t { done, interrupted, out_of_time };

// Trains; what happens goes to `stream`.
FitEnd run_fit_loop(const FitCall& call, EventStream& stream, const InterruptGuard& interrupt);

}  // namespace systolic::inline v0
