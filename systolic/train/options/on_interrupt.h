// Ctrl-C during fit: the step that runs is finished, one of training or of validation, what was
// reached is reported, on_train_end lets callbacks save, and the program ends with code 130. So
// with other signals that ask for the end, whose list is in base/process/interrupt.h: after SIGTERM
// the code is 143, after SIGHUP 129. An epoch that is cut short is not in the History and has no
// on_epoch_end. A second Ctrl-C ends the program at once; other signals that come again do not, as
// launchers send theirs twice. Before the end, fit has joined its threads and put Ctrl-C's handler
// back, and so have the fits of other threads that the same request stops; what lies on the stack
// of their callers is not destroyed. A program that must write or close something there takes
// OnInterrupt::stop and looks at History::interrupted; then all handlers are put back.
//
// A write that nobody can read any more (SIGPIPE: `./train | head -1`) or that passes a limit
// (SIGXFSZ: ulimit -f) fails instead of ending the program, from the first fit on, unless the
// program handles these signals itself: training outlives its terminal.
#pragma once

#include <cstdint>

#include "systolic/base/process/interrupt.h"

namespace systolic::inline v0 {

enum class OnInterrupt : uint8_t {
  exit,    // finish the step, report, end the program by std::exit once fit has cleaned up
  stop,    // finish the step, report, return the History with interrupted set
  ignore,  // install no handlers: the program's own stay
};

// Which signals are caught then.
inline InterruptGuard::Catches catches_of(OnInterrupt mode) {
  return mode == OnInterrupt::ignore ? InterruptGuard::Catches::never
                                     : InterruptGuard::Catches::always;
}

}  // namespace systolic::inline v0
