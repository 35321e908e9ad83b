// Ctrl-C during fit: the step that runs is finished, one of training or of validation, what was
// reached is reported, and the program ends with code 130. An epoch that is cut short is not in the
// History and has no on_epoch_end. Before the end, fit has joined its threads and put the handler
// back, and so have the fits of other threads that the same Ctrl-C stops; what lies on the stack of
// their callers is not destroyed. A program that must write or close something there takes
// OnInterrupt::stop and looks at History::interrupted.
#pragma once

#include <cstdint>

#include "systolic/base/process/interrupt.h"

namespace systolic::inline v0 {

enum class OnInterrupt : uint8_t {
  exit,    // finish the step, report, end the program by std::exit(130) once fit has cleaned up
  stop,    // finish the step, report, return the History with interrupted set
  ignore,  // install no handler: the program's own stays
};

inline InterruptGuard::Catches catches_of(OnInterrupt mode) {
  return mode == OnInterrupt::ignore ? InterruptGuard::Catches::never
                                     : InterruptGuard::Catches::always;
}

}  // namespace systolic::inline v0
