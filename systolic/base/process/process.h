// What the system reports about this process.
#pragma once

#include <cstdint>

namespace systolic::inline v0 {

// Seconds since the process was started, by the system's clock (the start is known to 10 ms).
double milliseconds_since_start();
// The most memory that was resident (VmHWM).
int64_t peak_memory_bytes();

}  // namespace systolic::inline v0
