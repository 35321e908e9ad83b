#include "systolic/base/threads/handoff_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <thread>

#include "systolic/base/threads/background_queue.h"

namespace systolic {
namespace {

using Numbers = std::vector<int>;

TEST(HandoffQueue, GivesItemsInOrderAndThenTheEnd) {
  HandoffQueue<int> queue(3);
  EXPECT_TRUE(queue.would_wait());
  EXPECT_EQ(queue.wait_for_room(), 3u);
  queue.put(1);
  EXPECT_EQ(queue.wait_for_room(), 2u);
  queue.put_all({2, 3});
  EXPECT_FALSE(queue.would_wait());
  EXPECT_EQ(queue.take(2), (Numbers{1, 2}));
  EXPECT_EQ(queue.wait_for_room(), 2u);
  queue.set_room(8);
  EXPECT_EQ(queue.wait_for_room(), 7u);
  queue.finish();
  EXPECT_EQ(queue.take(9), Numbers{3});
  EXPECT_FALSE(queue.would_wait());
  EXPECT_EQ(queue.take(9), Numbers{});
}

TEST(HandoffQueue, ThrowsBehindTheLastItem) {
  HandoffQueue<int> queue(2);
  queue.put(1);
  queue.finish(std::make_exception_ptr(std::runtime_error("torn")));
  EXPECT_EQ(queue.take(2), Numbers{1});
  EXPECT_THROW(queue.take(2), std::runtime_error);
  EXPECT_THROW(queue.take(2), std::runtime_error);
}

TEST(HandoffQueue, StopsAMakerThatWaits) {
  HandoffQueue<int> queue(1);
  queue.put(1);
  size_t room = 9;
  std::thread maker([&] { room = queue.wait_for_room(); });
  queue.stop();
  maker.join();
  EXPECT_EQ(room, 0u);
}

TEST(HandoffQueue, BetweenThreads) {
  constexpr int count = 20000;
  HandoffQueue<std::unique_ptr<int>> queue(4);
  std::thread maker([&] {
    for (int i = 0; i < count; ++i) {
      ASSERT_GT(queue.wait_for_room(), 0u);
      queue.put(std::make_unique<int>(i));
    }
    queue.finish();
  });
  int next = 0;
  for (;;) {
    const auto items = queue.take(3);
    if (items.empty()) break;
    EXPECT_LE(items.size(), 3u);
    for (const auto& item : items) EXPECT_EQ(*item, next++);
  }
  EXPECT_EQ(next, count);
  maker.join();
}

TEST(BackgroundQueue, EndsWithTheItemsOrWithTheError) {
  for (bool fails : {false, true}) {
    int made = 0;
    BackgroundQueue<int> queue(
        [&]() -> std::optional<int> {
          if (made < 5) return made++;
          if (fails) throw std::runtime_error("torn");
          return std::nullopt;
        },
        2);
    for (int i = 0; i < 5; ++i) EXPECT_EQ(queue.next(), i);
    if (fails) {
      EXPECT_THROW(queue.next(), std::runtime_error);
    } else {
      EXPECT_EQ(queue.next(), std::nullopt);
    }
  }
}

}  // namespace
}  // namespace systolic
