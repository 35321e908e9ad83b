// Plugins that crash or hang while the process ends.
//
// A library's own destructors run when main() has returned. Where they crash, the exit status of a
// run that succeeded would be the crash's. So the time in which they run is guarded: after a fatal
// signal, or half a minute without an end, the process exits at once with the status that it was
// ending with, and one line on stderr.
#pragma once

namespace systolic::inline v0 {
namespace pjrt {

// Call before a plugin is loaded, and after everything that may have made it register more
// destructors: what it registered between the two calls is guarded.
void guard_teardown_begin();
void guard_teardown_end();

// True once exit() has begun to call destructors: plugins must not be called after that.
bool process_is_ending() noexcept;

}  // namespace pjrt
}  // namespace systolic::inline v0
