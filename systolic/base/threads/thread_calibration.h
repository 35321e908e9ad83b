// How many threads are worth using on this machine.
#pragma once

#include <span>
#include <vector>

namespace systolic::inline v0 {

// Processors that this process may use: those of its affinity mask, limited by the container's
// quota (cgroup v2).
int usable_processors();

// usable_processors(), or half of them where two share one core's arithmetic units: then two busy
// threads take twice the time of one. Measured with multiply-adds in the threads' own processor
// time, so that other programs on the machine do not count. Takes about 2 ms.
int measure_useful_threads();

// One thread's multiply-adds, in seconds.
struct CalibrationProbe {
  double begin = 0, end = 0;  // by the clock
  double spent = 0;           // processor time of the thread
};

// Whether probes of all threads at once, some rounds of them, say that two threads share a core:
// each round in which at least half of every probe ran beside all others took half of its threads
// longer than `alone`, by 1.6 times or more. A disturbance of one thread of a round, or of some
// rounds, does not count; without a round to judge by there is no sharing.
//
//   share_cores(80e-6, {{{0, 81e-6, 80e-6}, {1e-6, 220e-6, 215e-6}}})   // false: one was disturbed
bool share_cores(double alone, std::span<const std::vector<CalibrationProbe>> rounds);

}  // namespace systolic::inline v0
