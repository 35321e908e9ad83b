// How many threads give speed on this machine.
#pragma once

namespace systolic::inline v0 {

// Processors this process may use: those of its affinity mask, bounded by the container's quota
// (cgroup v2).
int usable_processors();

// usable_processors(), or half of them where two share one core's arithmetic units: then two busy
// threads take twice the time of one. Measured with multiply-adds in the threads' own processor
// time, so that other programs on the machine do not count. Takes about 2 ms.
int measure_useful_threads();

}  // namespace systolic::inline v0
