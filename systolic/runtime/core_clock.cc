#include "systolic/runtime/core_clock.h"

#include <algorithm>

namespace systolic::inline v0 {
namespace runtime {

void CoreClock::count(double& part, Clock::time_point& from, Clock::time_point to) {
  if (to <= from) return;
  part += std::chrono::duration<double>(to - from).count();
  from = to;
}

void CoreClock::begin_run(Clock::time_point now) {
  count(counters_.idle_seconds, counted_until_, now);
  running_ = true;
}

void CoreClock::end_run(const CostStats& work, Clock::time_point now) {
  count(counters_.busy_seconds, counted_until_, now);
  running_ = false;
  counters_.flops += work.flops;
  counters_.bytes += work.bytes;
  counters_.matrix_flops += work.matrix_flops;
  counters_.padded_matrix_flops += work.padded_matrix_flops;
  counters_.collective_bytes += work.collective_bytes;
}

void CoreClock::input_waited(double seconds, Clock::time_point now) {
  if (running_) return;
  const auto length = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::max(seconds, 0.0)));
  count(counters_.idle_seconds, counted_until_, now - length);
  count(counters_.input_wait_seconds, counted_until_, now);
}

CoreCounters CoreClock::read(Clock::time_point now) const {
  CoreCounters counters = counters_;
  Clock::time_point from = counted_until_;
  count(running_ ? counters.busy_seconds : counters.idle_seconds, from, now);
  return counters;
}

}  // namespace runtime
}  // namespace systolic::inline v0
