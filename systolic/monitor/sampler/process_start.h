// Whether a process is still the one it was.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace monitor {

// When the system started it, in ticks since the machine did; -1 where there is no such process.
int64_t process_start(int64_t process);

enum class ProcessState {
  there,
  stopped,  // SIGSTOP, Ctrl-Z, or a debugger: it does nothing until it is continued
  gone,     // or another one has its number
};
// That of the process that was started then.
ProcessState process_state(int64_t process, int64_t start);

}  // namespace monitor
}  // namespace systolic::inline v0
