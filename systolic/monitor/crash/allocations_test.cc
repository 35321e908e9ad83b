// What a step costs those who watch the run: no allocation.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "systolic/base/test_allocations.h"
#include "systolic/events/event_stream.h"
#include "systolic/monitor/crash/crash_watch.h"
#include "systolic/monitor/sampler/run_watch.h"

namespace systolic {
namespace {

TEST(WatchAllocations, AWatchedStepAllocatesNothing) {
  if (!counts_allocations) GTEST_SKIP() << "ThreadSanitizer has operators of its own";
  std::string pattern = (std::filesystem::temp_directory_path() / "systolic-XXXXXX").string();
  const std::string folder = mkdtemp(pattern.data());
  {
    EventStream stream;
    stream.add(std::make_shared<monitor::RunWatch>([] {}));
    stream.add(std::make_shared<monitor::CrashWatch>(folder));
    stream.publish(events::RunBegin{.name = "convnet", .epochs = 2, .batch_size = 32});
    stream.publish(events::EpochBegin{});
    constexpr int steps = 1000;
    const int64_t before = allocations();
    for (int step = 0; step < steps; ++step) {
      stream.publish(events::StepEnd{.step = step, .samples = 32, .milliseconds = 0.5});
      stream.publish(events::LossKnown{.step = step, .loss = 0.5f});
      stream.publish(events::EvaluationStep{.step = step, .samples = 32});
    }
    EXPECT_EQ(allocations() - before, 0);
    EXPECT_EQ(stream.moment().step, steps);
    stream.publish(events::RunEnd{});
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace systolic
