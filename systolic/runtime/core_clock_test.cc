#include "systolic/runtime/core_clock.h"

#include <gtest/gtest.h>

namespace systolic {
namespace {

using runtime::CoreClock;
using runtime::CoreCounters;

// Seconds after an arbitrary start.
CoreClock::Clock::time_point at(double seconds) {
  return CoreClock::Clock::time_point(std::chrono::hours(100)) +
         std::chrono::duration_cast<CoreClock::Clock::duration>(
             std::chrono::duration<double>(seconds));
}

void expect_times(const CoreCounters& got, double busy, double input_wait, double idle) {
  EXPECT_NEAR(got.busy_seconds, busy, 1e-9);
  EXPECT_NEAR(got.input_wait_seconds, input_wait, 1e-9);
  EXPECT_NEAR(got.idle_seconds, idle, 1e-9);
}

TEST(CoreClock, DividesTheTimeBetweenRunsAndGaps) {
  CoreClock clock(at(0));
  expect_times(clock.read(at(2)), 0, 0, 2);
  clock.begin_run(at(3));
  expect_times(clock.read(at(4)), 1, 0, 3);  // a run that has not ended
  clock.end_run({100, 10}, at(5));
  expect_times(clock.read(at(7)), 2, 0, 5);
  EXPECT_EQ(clock.read(at(7)).flops, 100);
  EXPECT_EQ(clock.read(at(7)).bytes, 10);
}

TEST(CoreClock, InputWaitIsTakenFromWhatWouldBeIdle) {
  CoreClock clock(at(0));
  clock.begin_run(at(1));
  clock.end_run({0, 0}, at(2));
  clock.input_waited(3, at(6));  // from 3 to 6
  clock.begin_run(at(7));
  clock.end_run({0, 0}, at(8));
  expect_times(clock.read(at(8)), 2, 3, 3);
}

TEST(CoreClock, ARunHidesTheWaitBehindIt) {
  CoreClock clock(at(0));
  clock.begin_run(at(1));
  clock.input_waited(5, at(2));  // another thread's, while this core runs
  clock.end_run({0, 0}, at(4));
  clock.input_waited(5, at(6));  // from 1 to 6, running until 4
  expect_times(clock.read(at(6)), 3, 2, 1);
}

TEST(CoreClock, WaitsBeforeTheStartDoNotCount) {
  CoreClock clock(at(10));
  clock.input_waited(30, at(12));
  clock.input_waited(-1, at(13));
  expect_times(clock.read(at(13)), 0, 2, 1);
}

// Whatever happens, the parts are the whole.
TEST(CoreClock, ThePartsAreTheWhole) {
  CoreClock clock(at(0));
  double now = 0;
  for (int i = 1; i <= 200; ++i) {
    now += 0.01 * (i * 7 % 13);
    if (i % 3 == 0) clock.begin_run(at(now));
    if (i % 3 == 1) clock.end_run({1, 1}, at(now));
    if (i % 5 == 0) clock.input_waited(0.03 * (i % 4), at(now));
    const CoreCounters counters = clock.read(at(now + 0.005));
    EXPECT_NEAR(counters.busy_seconds + counters.input_wait_seconds + counters.idle_seconds,
                now + 0.005, 1e-6);
  }
}

}  // namespace
}  // namespace systolic
