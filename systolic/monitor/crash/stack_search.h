// What a thread was doing when a signal interrupted it, and the return addresses on its stack that
// the unwinder does not reach: it stops at code that was generated while the program ran, of which
// nobody says how its frames lie. Safe in signal handlers.
#pragma once

#include <cstdint>

#include "systolic/monitor/crash/thread_stacks.h"

namespace systolic::inline v0 {
namespace monitor {

struct InterruptedPlace {
  uintptr_t code = 0, stack = 0;  // 0: not known on this processor
};
// `context`: the ucontext_t that a handler is given.
InterruptedPlace interrupted_place(const void* context);

// The frames of the handler itself go: `code` becomes the innermost, even where the unwinder did
// not find it.
void begin_at(ThreadStack& stack, uintptr_t code);

// Where the last frame lies in no file: adds what looks like a return address into one, from
// `from` on outwards. What was returned from before may be among them.
void find_more_frames(ThreadStack& stack, uintptr_t from);

}  // namespace monitor
}  // namespace systolic::inline v0
