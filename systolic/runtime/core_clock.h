// Where the time of one core goes: each moment is busy, idle or waiting for input, never two.
//
//   CoreClock clock;
//   clock.begin_run();  ...;  clock.end_run({.flops = 2e6, .bytes = 1e5});
//   clock.input_waited(0.02);
//   clock.read().busy_seconds
//
// Not thread-safe. The moments are arguments so that tests need not wait.
#pragma once

#include <chrono>

#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace runtime {

class CoreClock {
 public:
  using Clock = std::chrono::steady_clock;

  explicit CoreClock(Clock::time_point now = Clock::now()) : counted_until_(now) {}

  // A program runs between the two calls. The core has done this part of its work; none when it
  // failed.
  void begin_run(Clock::time_point now = Clock::now());
  void end_run(const CostStats& work, Clock::time_point now = Clock::now());
  // The host has waited for input during the last `seconds`. The part of them that was spent
  // running does not count.
  void input_waited(double seconds, Clock::time_point now = Clock::now());

  // The counters up to now, including the program that is running.
  CoreCounters read(Clock::time_point now = Clock::now()) const;

 private:
  // Counts the time since the last call to `part`.
  static void count(double& part, Clock::time_point& from, Clock::time_point to);

  CoreCounters counters_;
  Clock::time_point counted_until_;
  bool running_ = false;
};

}  // namespace runtime
}  // namespace systolic::inline v0
