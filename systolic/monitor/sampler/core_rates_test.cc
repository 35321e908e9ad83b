// The percentages, by hand.
#include "systolic/monitor/sampler/core_rates.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systolic {
namespace {

using monitor::CoreReadings;
using monitor::CoreStatus;
using runtime::CoreCounters;

// In ten seconds a core was busy for 8, waited for input for 1.5 and was idle for half a second. It
// can do 1e12 a second, and did 2e12 in products, for which its unit did 4e12 with padding.
constexpr double peak = 1e12;
const CoreCounters before{.flops = 1e12,
                          .matrix_flops = 0.5e12,
                          .padded_matrix_flops = 1e12,
                          .collective_bytes = 2e6,
                          .busy_seconds = 100,
                          .input_wait_seconds = 10,
                          .idle_seconds = 1};
const CoreCounters now{.flops = 3.2e12,
                       .matrix_flops = 2.5e12,
                       .padded_matrix_flops = 5e12,
                       .collective_bytes = 7e6,
                       .busy_seconds = 108,
                       .input_wait_seconds = 11.5,
                       .idle_seconds = 1.5,
                       .peak_memory_bytes = 77};

TEST(CoreRates, AreTheFormulasOfTheManual) {
  CoreStatus core;
  monitor::set_core_rates(core, before, now, peak);
  EXPECT_FLOAT_EQ(core.mxu_percent, 25);         // 2e12 of 8 s at 1e12
  EXPECT_FLOAT_EQ(core.padded_mxu_percent, 50);  // 4e12
  EXPECT_FLOAT_EQ(core.busy_percent, 80);
  EXPECT_FLOAT_EQ(core.input_wait_percent, 15);
  EXPECT_FLOAT_EQ(core.idle_percent, 5);
  EXPECT_FLOAT_EQ(core.collective_bytes_per_second, 5e5);  // 5e6 in 10 s
  EXPECT_EQ(core.collective_bytes, 7e6);
  EXPECT_EQ(core.flops, 3.2e12);
  EXPECT_EQ(core.peak_memory_bytes, 77);
}

// The reading before took half a second of a wait for idle, as the wait was not over.
TEST(CoreRates, AWaitThatAReadingCutIsNoNegativeIdleTime) {
  CoreCounters wait_over = now;
  wait_over.busy_seconds += 1;
  wait_over.input_wait_seconds += 1.5;
  wait_over.idle_seconds -= 0.5;
  CoreStatus core;
  monitor::set_core_rates(core, now, wait_over, peak);
  EXPECT_FLOAT_EQ(core.busy_percent, 50);
  EXPECT_FLOAT_EQ(core.input_wait_percent, 50);
  EXPECT_FLOAT_EQ(core.idle_percent, 0);
}

TEST(CoreRates, WhatCannotBeKnownIsUnknown) {
  CoreStatus core;
  monitor::set_core_rates(core, now, now, peak);  // no time passed
  EXPECT_TRUE(std::isnan(core.mxu_percent));
  EXPECT_TRUE(std::isnan(core.idle_percent));
  CoreCounters idle = now;
  idle.idle_seconds += 3;
  monitor::set_core_rates(core, now, idle, peak);  // nothing was computed
  EXPECT_TRUE(std::isnan(core.mxu_percent));
  EXPECT_FLOAT_EQ(core.idle_percent, 100);
  CoreCounters with_unknown = idle;
  with_unknown.collective_bytes = NAN;
  monitor::set_core_rates(core, now, with_unknown, peak);
  EXPECT_TRUE(std::isnan(core.collective_bytes_per_second));
  EXPECT_FLOAT_EQ(core.idle_percent, 100);
  CoreStatus without_peak;
  monitor::set_core_rates(without_peak, before, now, 0);
  EXPECT_TRUE(std::isnan(without_peak.mxu_percent));
  EXPECT_FLOAT_EQ(without_peak.busy_percent, 80);
}

TEST(CoreReadings, SpanTheLastSecondsAndStartAgainWithTheCounters) {
  CoreReadings readings(2);
  CoreCounters counters;
  std::array<CoreStatus, 1> core;
  const auto read = [&](double busy, double idle) {
    counters.busy_seconds += busy;
    counters.idle_seconds += idle;
    readings.add({counters});
    core[0] = {};
    readings.set_rates(core, peak);
    return core[0].busy_percent;
  };
  EXPECT_TRUE(std::isnan(read(5, 5)));  // one reading has no span
  EXPECT_FLOAT_EQ(read(1, 0), 100);
  EXPECT_FLOAT_EQ(read(0, 1), 50);
  EXPECT_FLOAT_EQ(read(0, 1), 0);  // the busy second is over
  counters = {};                   // reset
  EXPECT_TRUE(std::isnan(read(0, 0.5)));
  EXPECT_FLOAT_EQ(read(0.25, 0.75), 25);
}

}  // namespace
}  // namespace systolic
