#include "systolic/base/threads/background_task.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>

namespace systolic {
namespace {

TEST(BackgroundTask, DoesOnePieceAtATime) {
  BackgroundTask task;
  EXPECT_TRUE(task.poll());
  std::latch may_end(1);
  std::atomic<int> ended{0};
  task.start([&] {
    may_end.wait();
    ++ended;
  });
  EXPECT_FALSE(task.poll());
  may_end.count_down();
  task.start([&] { ended = ended * 10 + 1; });
  task.wait();
  EXPECT_EQ(ended, 11);
  EXPECT_TRUE(task.poll());
}

TEST(BackgroundTask, ThrowsWhatAPieceThrewOnce) {
  const auto fail = [] { throw std::runtime_error("the disk is full"); };
  BackgroundTask task;
  task.start(fail);
  EXPECT_THROW(task.wait(), std::runtime_error);
  task.wait();
  task.start(fail);
  EXPECT_THROW(task.start([] {}), std::runtime_error);
  EXPECT_TRUE(task.poll());
  std::latch is_over(1);
  task.start([&] {
    is_over.count_down();
    throw std::runtime_error("the disk is full");
  });
  is_over.wait();
  bool thrown = false;
  while (!thrown) {
    try {
      task.poll();
    } catch (const std::runtime_error&) {
      thrown = true;
    }
  }
  EXPECT_TRUE(task.poll());
}

TEST(BackgroundTask, EndsWithItsOwner) {
  std::atomic<bool> ended{false};
  {
    BackgroundTask task;
    task.start([&] {
      ended = true;
      throw std::runtime_error("nobody hears of this");
    });
  }
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace systolic
