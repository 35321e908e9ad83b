// Prints epochs and their progress (keras.callbacks.ProgbarLogger). fit() and evaluate() add one
// unless verbose is 0.
#pragma once

#include <iosfwd>

#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

// verbose 1: a live bar on a terminal, a line an epoch in a file; 2: a line an epoch, without a
// bar. Writes to `out`.
CallbackPtr ProgbarLogger(std::ostream& out, bool terminal);
// To stdout, which is asked whether it is a terminal.
CallbackPtr ProgbarLogger();

}  // namespace systolic::inline v0
