// Threads that cannot be started: fewer of them, and a line, and the same results.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/base/threads/background_queue.h"
#include "systolic/base/threads/thread_calibration.h"
#include "systolic/base/threads/thread_pool.h"
#include "systolic/io/files/file_system.h"
#include "systolic/io/files/test_files.h"
#include "systolic/nn/initializers/host_random.h"
#include "systolic/systolic.h"
#include "tests/faults/failing_system.h"

namespace systolic {
namespace {

Fault no_threads_after(int64_t started) {
  return {.call = SystemCall::thread, .number = started + 1, .error = EAGAIN, .and_later = true};
}

TEST(FailingThreads, APoolMakesDoWithThoseThatStart) {
  for (const int started : {0, 1, 3}) {
    const CaughtLog log;
    const FailingSystem failing(no_threads_after(started));
    ThreadPool pool(8);
    EXPECT_EQ(pool.threads(), started + 1);
    std::atomic<int64_t> sum{0};
    pool.parallel_for(1000, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) sum += i;
    });
    EXPECT_EQ(sum, 499'500);
    std::atomic<int> slots{0};
    pool.parallel_slots(pool.threads(), [&](int) { ++slots; });
    EXPECT_EQ(slots, started + 1);
    EXPECT_CONTAINS(log.lines(), str(started + 1, " of 8 threads compute."));
  }
}

TEST(FailingThreads, ProcessorsAreCountedWithout) {
  for (const int started : {0, 1}) {
    const FailingSystem failing(no_threads_after(started));
    EXPECT_GE(measure_useful_threads(), 1);
    EXPECT_LE(measure_useful_threads(), std::max(started + 1, usable_processors()));
  }
}

TEST(FailingThreads, AQueueProducesWhenItIsAsked) {
  const CaughtLog log;
  const FailingSystem failing(no_threads_after(0));
  int made = 0;
  BackgroundQueue<int> queue(
      [&]() -> std::optional<int> {
        if (made == 3) return std::nullopt;
        return ++made;
      },
      2);
  for (const int wanted : {1, 2, 3}) EXPECT_EQ(queue.next(), wanted);
  EXPECT_EQ(queue.next(), std::nullopt);
  EXPECT_EQ(queue.next(), std::nullopt);
  BackgroundQueue<int> throwing(
      []() -> std::optional<int> { raise<DataLoss>({.what = "a damaged record"}); }, 2);
  EXPECT_THROW(throwing.next(), DataLoss);
  EXPECT_EQ(throwing.next(), std::nullopt);
}

struct Counts : EventSink {
  int epochs = 0;
  void handle(const events::Moment&, const Event& event) override {
    epochs += std::holds_alternative<events::EpochEnd>(event) ? 1 : 0;
  }
};

// From the first thread that is missing on to the last that a fit starts.
TEST(FailingThreads, AFitHasTheSameResult) {
  const auto fit = [](const std::shared_ptr<Counts>& sink) {
    set_seed(3);
    Model model = Sequential({Input{.shape = {3}}, Dense{.units = 1}});
    model.compile({.optimizer = "adam", .loss = "mse"});
    const data::Dataset rows = data::from_tensor_slices(
        std::pair(host_normal({32, 3}, 0, 1, 1), host_normal({32, 1}, 0, 1, 2)));
    model.fit(rows.batch(4), {.epochs = 2, .event_sinks = {sink}, .verbose = 0});
    return model.get_weights();
  };
  const std::vector<Literal> wanted = fit(std::make_shared<Counts>());
  for (int started = 0; started < 50; ++started) {
    const CaughtLog log;
    const auto sink = std::make_shared<Counts>();
    const FailingSystem failing(no_threads_after(started));
    EXPECT_TRUE(fit(sink) == wanted) << started;
    EXPECT_EQ(sink->epochs, 2) << started;
    if (!failing.failed()) return;
  }
  ADD_FAILURE() << "a fit starts threads without end";
}

TEST(FailingThreads, StagesOfAPipelineSayWhatTheyLack) {
  const data::Dataset mapped =
      data::range(10).map([](const Literal& x) { return x; }, {.num_parallel_calls = 4});
  const auto sum = [&] {
    int64_t all = 0;
    for (const Example& one : mapped) all += one.only().item<int64_t>();
    return all;
  };
  for (const int started : {1, 2}) {
    const FailingSystem failing(no_threads_after(started));
    EXPECT_EQ(sum(), 45);
  }
  const FailingSystem failing(no_threads_after(0));
  EXPECT_CONTAINS(message_of<ResourceExhausted>(sum), "no thread for the input pipeline");
}

TEST(FailingThreads, OtherFilesAreCheckedWithout) {
  const TemporaryFolder folder;
  put_file(folder / "x", "abc");
  const FailingSystem failing(no_threads_after(0));
  EXPECT_EQ(io::check_readable({folder / "x", folder / "x"}), 6u);
}

}  // namespace
}  // namespace systolic
