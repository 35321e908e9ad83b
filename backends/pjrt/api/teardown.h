// Plugins that die or hang while the process ends.
//
// A library's own destructors run when main() has returned. Where they crash, the exit status of a
// run that succeeded would be the crash's. So the time in which they run is guarded: a fatal signal
// then, or half a minute without an end, leaves the process at once with the status that it was
// ending with, and one line on stderr.
#pragma once

namespace systolic::inline v0 {
namespace pjrt {

// Before a plugin is loaded, and after each thing that may have made it register more destructors:
// what it registered between the two calls is guarded.
void guard_teardown_begin();
void guard_teardown_end();

// True from the moment in which exit() began to call destructors: plugins must not be called then.
bool process_is_ending() noexcept;

}  // namespace pjrt
}  // namespace systolic::inline v0
