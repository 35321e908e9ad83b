#include "systolic/base/threads/thread_pool.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/base/floating_point.h"
#include "systolic/base/threads/thread_calibration.h"

namespace systolic {
namespace {

TEST(ThreadPool, PiecesCoverTheRangeOnceAndAreAtLeastAGrainLong) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (int64_t count : {0, 1, 2, 7, 64, 1000}) {
      for (int64_t grain : {0, 1, 3, 64, 5000}) {
        std::vector<std::atomic<int>> visits(static_cast<size_t>(count));
        std::atomic<int> short_pieces{0};
        pool.parallel_for(count, grain, [&](int64_t begin, int64_t end) {
          if (end - begin < grain && end != count) ++short_pieces;
          for (int64_t i = begin; i < end; ++i) ++visits[static_cast<size_t>(i)];
        });
        for (const auto& visit : visits) ASSERT_EQ(visit, 1) << count << " by " << grain;
        EXPECT_EQ(short_pieces, 0);
      }
    }
  }
}

TEST(ThreadPool, EachSlotRunsOnce) {
  ThreadPool pool(3);
  for (int slots : {0, 1, 2, 3, 10}) {
    std::vector<std::atomic<int>> visits(static_cast<size_t>(slots));
    pool.parallel_slots(slots, [&](int slot) { ++visits[static_cast<size_t>(slot)]; });
    for (const auto& visit : visits) EXPECT_EQ(visit, 1);
  }
}

TEST(ThreadPool, TasksRunOnceAndNeverTwoInOneSlot) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (int slots : {1, 2, 5}) {
      for (int64_t tasks : {0, 1, 3, 100}) {
        std::vector<std::atomic<int>> visits(static_cast<size_t>(tasks));
        std::vector<std::atomic<int>> inside(static_cast<size_t>(slots));
        std::atomic<int> clashes{0};
        pool.parallel_tasks(tasks, slots, [&](int64_t task, int slot) {
          if (inside.at(static_cast<size_t>(slot))++ != 0) ++clashes;
          ++visits[static_cast<size_t>(task)];
          std::this_thread::yield();
          --inside[static_cast<size_t>(slot)];
        });
        for (const auto& visit : visits) ASSERT_EQ(visit, 1) << tasks << " in " << slots;
        EXPECT_EQ(clashes, 0);
      }
    }
  }
}

TEST(ThreadPool, ManyShortJobsInARow) {
  ThreadPool pool(4);
  ThreadPool::Busy busy(pool);
  std::atomic<int64_t> sum{0};
  for (int job = 0; job < 5000; ++job) {
    pool.parallel_for(8, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
  }
  EXPECT_EQ(sum, 5000 * 8);
}

TEST(ThreadPool, SlotsRunAtTheSameTime) {
  ThreadPool pool(3);
  std::atomic<int> arrived{0};
  // Ends only if three threads are inside together.
  pool.parallel_slots(3, [&](int) {
    ++arrived;
    while (arrived < 3) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 3);
}

TEST(ThreadPool, OthersTakeWhatASlowThreadLeaves) {
  ThreadPool pool(2);
  std::atomic<int64_t> done{0};
  // The first piece waits for all others, which a fixed division in halves would never finish.
  pool.parallel_for(64, 1, [&](int64_t begin, int64_t end) {
    if (begin == 0) {
      while (done < 64 - end) std::this_thread::yield();
    }
    done += end - begin;
  });
  EXPECT_EQ(done, 64);
}

TEST(ThreadPool, ACallFromInsideABodyRunsOnItsThread) {
  ThreadPool pool(3);
  std::atomic<int> elsewhere{0}, pieces{0};
  pool.parallel_slots(3, [&](int) {
    const auto here = std::this_thread::get_id();
    pool.parallel_for(100, 1, [&](int64_t begin, int64_t end) {
      ++pieces;
      EXPECT_EQ(begin, 0);
      EXPECT_EQ(end, 100);
      if (std::this_thread::get_id() != here) ++elsewhere;
    });
  });
  EXPECT_EQ(pieces, 3);
  EXPECT_EQ(elsewhere, 0);
}

TEST(ThreadPool, TwoPoolsMayCallEachOther) {
  ThreadPool outer(2), inner(2);
  std::atomic<int64_t> sum{0};
  outer.parallel_slots(2, [&](int) {
    inner.parallel_for(10, 1, [&](int64_t begin, int64_t end) {
      outer.parallel_for(2, 1, [&](int64_t b, int64_t e) { sum += (end - begin) * (e - b); });
    });
  });
  EXPECT_EQ(sum, 2 * 10 * 2);
}

TEST(ThreadPool, ServesSeveralCallersAtOnce) {
  ThreadPool pool(2);
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int job = 0; job < 500; ++job) {
        pool.parallel_for(10, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 500 * 10);
}

TEST(ThreadPool, TheFirstExceptionArrivesAtTheCallerAndThePoolGoesOn) {
  ThreadPool pool(3);
  for (int round = 0; round < 50; ++round) {
    EXPECT_THROW(pool.parallel_for(100, 1,
                                   [&](int64_t begin, int64_t) {
                                     if (begin >= 40) throw std::runtime_error("body");
                                   }),
                 std::runtime_error);
    int64_t sum = 0;
    std::mutex mutex;
    pool.parallel_for(100, 1, [&](int64_t begin, int64_t end) {
      std::lock_guard lock(mutex);
      sum += end - begin;
    });
    EXPECT_EQ(sum, 100);
  }
}

TEST(ThreadPool, AnExceptionOfANestedCallPassesThrough) {
  ThreadPool pool(2);
  EXPECT_THROW(pool.parallel_slots(2,
                                   [&](int) {
                                     pool.parallel_for(4, 1, [](int64_t, int64_t) {
                                       throw std::out_of_range("inner");
                                     });
                                   }),
               std::out_of_range);
}

TEST(ThreadPool, NeedsAThread) {
  EXPECT_THROW(ThreadPool(0), InvalidArgument);
  EXPECT_EQ(ThreadPool(1).threads(), 1);
  EXPECT_EQ(ThreadPool(5).threads(), 5);
}

TEST(ThreadCalibration, GivesTheProcessorsOrHalfOfThem) {
  const int processors = usable_processors();
  EXPECT_GE(processors, 1);
  const int measured = measure_useful_threads();
  EXPECT_TRUE(measured == processors || measured == std::max(1, processors / 2)) << measured;
  EXPECT_EQ(ThreadPool::calibrated_threads(), ThreadPool::calibrated_threads());
}

// In microseconds.
std::vector<CalibrationProbe> round_of(std::vector<std::array<double, 3>> probes) {
  std::vector<CalibrationProbe> round;
  for (const auto& [begin, end, spent] : probes) {
    round.push_back({begin * 1e-6, end * 1e-6, spent * 1e-6});
  }
  return round;
}

TEST(ThreadCalibration, TellsSharedCoresFromDisturbedThreads) {
  const auto alike = [](double time) { return round_of({{0, time, time}, {1, time + 1, time}}); };
  const auto in_turn = round_of({{0, 81, 81}, {82, 162, 80}});
  const auto disturbed = round_of({{0, 81, 80}, {-151, 159, 215}});
  const auto halves = round_of({{0, 160, 160}, {0, 162, 160}, {0, 80, 80}, {0, 170, 161}});
  struct Row {
    const char* name;
    std::vector<std::vector<CalibrationProbe>> rounds;
    bool shared;
  };
  const Row rows[] = {
      {"a core each", {alike(80), alike(81)}, false},
      {"a lower clock", {alike(105), alike(104)}, false},
      {"one core", {alike(160), alike(161)}, true},
      {"one core, once without", {alike(160), alike(85), alike(161)}, false},
      {"one after the other", {in_turn, in_turn}, false},
      {"one thread disturbed", {in_turn, disturbed}, false},
      {"one core and one thread disturbed",
       {alike(160), round_of({{0, 300, 300}, {0, 161, 160}})},
       true},
      {"three of four share", {halves}, true},
      {"no rounds", {}, false},
  };
  for (const Row& row : rows) EXPECT_EQ(share_cores(80e-6, row.rounds), row.shared) << row.name;
}

TEST(ThreadCalibration, LeavesTheCallersAffinity) {
  cpu_set_t before, after;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  measure_useful_threads();
  ASSERT_EQ(sched_getaffinity(0, sizeof(after), &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(ThreadCalibration, CountsOnlyProcessorsOfTheAffinityMask) {
  int processors = 0;
  std::thread([&] {  // the mask is a thread's own
    cpu_set_t all, one;
    ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
      if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
    }
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    processors = usable_processors();
  })
      .join();
  EXPECT_EQ(processors, 1);
}

TEST(ThreadPool, ComputesWithTheCallersSubnormals) {
  ThreadPool pool(3);
  // Halves the smallest normal number on each thread; says on how many that gave 0.
  const auto zeros = [&] {
    std::atomic<int> count{0};
    std::atomic<int> arrived{0};
    pool.parallel_slots(3, [&](int) {
      ++arrived;
      while (arrived < 3) std::this_thread::yield();  // so that each slot has its own thread
      volatile float smallest = std::numeric_limits<float>::min();
      volatile float half = smallest * 0.5f;
      if (half == 0.0f) ++count;
    });
    return count.load();
  };
  EXPECT_EQ(zeros(), 0);
  {
    const FlushSubnormals flush;
    EXPECT_EQ(zeros(), 3);
  }
  EXPECT_EQ(zeros(), 0);
}

}  // namespace
}  // namespace systolic
