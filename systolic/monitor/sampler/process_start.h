// Whether a process is still the one it was.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {
namespace monitor {

// When the system started it, in ticks since the machine did; -1 where there is no such process.
int64_t process_start(int64_t process);

}  // namespace monitor
}  // namespace systolic::inline v0
