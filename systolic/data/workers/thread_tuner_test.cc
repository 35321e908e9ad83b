#include "systolic/data/workers/thread_tuner.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "systolic/base/threads/thread_calibration.h"
#include "systolic/data/dataset.h"

namespace systolic {
namespace {

TEST(ThreadTuner, AddsAThreadWhereTheCountsSayThatItHelps) {
  const data::StageWork needed{.seconds = 1,
                               .reader_waited_seconds = 0.5,
                               .threads = 2,
                               .threads_at_work = 2,
                               .within_budget = true};
  EXPECT_TRUE(data::another_thread_helps(needed, 4));
  EXPECT_FALSE(data::another_thread_helps(needed, 2));  // no processor is left
  data::StageWork work = needed;
  work.reader_waited_seconds = 0.04;  // the reader limits
  EXPECT_FALSE(data::another_thread_helps(work, 4));
  work = needed;
  work.threads_at_work = 1;  // the input limits
  EXPECT_FALSE(data::another_thread_helps(work, 4));
  work = needed;
  work.within_budget = false;
  EXPECT_FALSE(data::another_thread_helps(work, 4));
}

// Calls that wait for each other, so that they return only when two run at the same time.
class Meeting {
 public:
  void meet() {
    std::unique_lock lock(mutex_);
    ++here_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return here_ >= 2; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int here_ = 0;
};

TEST(ThreadTuner, AMapWhoseReaderWaitsGetsAnotherThread) {
  if (usable_processors() < 2) GTEST_SKIP() << "this machine has one processor";
  const auto meeting = std::make_shared<Meeting>();
  const data::Dataset met = data::range(40).map([meeting](int64_t n) { return meeting->meet(), n; },
                                                {.num_parallel_calls = data::autotune});
  data::Iterator iterator = met.iterator();
  for (int64_t n = 0; n < 40; ++n) EXPECT_EQ(next(iterator).only().item<int64_t>(), n);
  EXPECT_FALSE(iterator.next());
  EXPECT_GE(iterator.report().stages.back().threads, 2);
}

TEST(ThreadTuner, ReadingInTurnsToo) {
  if (usable_processors() < 2) GTEST_SKIP() << "this machine has one processor";
  const auto meeting = std::make_shared<Meeting>();
  // All inputs are open before the first call that waits.
  const data::Dataset met = data::range(4).interleave(
      [meeting](const Example& e) {
        const data::Dataset one = data::from_tensors(e);
        return one.concatenate(one.map([meeting](int64_t n) { return meeting->meet(), n; }));
      },
      {.cycle_length = 4, .num_parallel_calls = data::autotune});
  int64_t count = 0;
  for (const Example& element : met) EXPECT_EQ(element.only().item<int64_t>(), count++ % 4);
  EXPECT_EQ(count, 8);
}

}  // namespace
}  // namespace systolic
