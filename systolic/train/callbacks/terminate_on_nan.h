// Stops training when the loss is NaN or infinite (keras.callbacks.TerminateOnNaN), and says at
// which step, and what was not finite first: an input, a layer, or the loss alone.
#pragma once

#include "systolic/train/callbacks/callback.h"

namespace systolic::inline v0 {

CallbackPtr TerminateOnNaN();

}  // namespace systolic::inline v0
