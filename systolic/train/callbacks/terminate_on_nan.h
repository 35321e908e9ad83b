// Stops training when the loss is NaN or infinite (keras.callbacks.TerminateOnNaN), and says at
// which step, and what was not finite first: an input, a layer, or the loss alone.
#pragma once

#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

struct TerminateOnNaN {
  operator CallbackPtr() const;  // NOLINT: a new callback each time
};

}  // namespace systolic::inline v0
