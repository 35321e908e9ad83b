// What the system says of this process.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {

// Since the process was started, by the system's clock (resolution 10 ms at the start).
double milliseconds_since_start();
// The most memory that was resident (VmHWM).
int64_t peak_memory_bytes();

}  // namespace systolic::inline v0
