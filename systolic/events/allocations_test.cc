// What events of steps cost: no allocation.
#include <gtest/gtest.h>

#include <memory>

#include "systolic/base/test_allocations.h"
#include "systolic/events/training_run.h"

namespace systolic {
namespace {

struct CountingSink : EventSink {
  void handle(const events::Moment&, const Event&) override { ++told; }
  int64_t told = 0;
};

constexpr int steps = 1000;

TEST(EventAllocations, TellingAStepAllocatesNothing) {
  if (!counts_allocations) GTEST_SKIP() << "ThreadSanitizer has operators of its own";
  const auto at_once = std::make_shared<CountingSink>();
  EventStream stream;
  stream.add(at_once);
  stream.add_in_background(std::make_shared<CountingSink>());
  stream.publish(events::EpochBegin{});
  const int64_t before = allocations();
  for (int step = 0; step < steps; ++step) {
    stream.publish(events::StepEnd{.step = step, .samples = 32, .milliseconds = 0.5});
    publish(events::LossKnown{.step = step, .loss = 0.5f});
    stream.publish(events::EvaluationStep{.step = step, .samples = 32});
  }
  EXPECT_EQ(allocations() - before, 0);
  EXPECT_EQ(at_once->told, 1 + 3 * steps);
}

TEST(EventAllocations, NorDoesALoopOfOnesOwn) {
  if (!counts_allocations) GTEST_SKIP() << "ThreadSanitizer has operators of its own";
  const auto sink = std::make_shared<CountingSink>();
  TrainingRun run({.batch_size = 32, .sinks = {sink}});
  run.begin_epoch(0);
  const int64_t before = allocations();
  for (int step = 0; step < steps; ++step) run.end_step({.loss = 0.5});
  EXPECT_EQ(allocations() - before, 0);
  EXPECT_GE(sink->told, 2 * steps);
}

TEST(EventAllocations, AreCounted) {
  if (!counts_allocations) GTEST_SKIP() << "ThreadSanitizer has operators of its own";
  const int64_t before = allocations();
  const auto sink = std::make_shared<CountingSink>();
  EXPECT_EQ(allocations() - before, 1);
}

}  // namespace
}  // namespace systolic
