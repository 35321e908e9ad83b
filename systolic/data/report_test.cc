// What limits a pipeline, told from counts that are given; the memory budget; advice.
#include "systolic/data/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <thread>

#include "systolic/base/test_errors.h"
#include "systolic/base/test_log.h"
#include "systolic/base/threads/thread_calibration.h"
#include "systolic/data/advice.h"
#include "systolic/data/dataset.h"
#include "systolic/data/stage.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace systolic {
namespace {

using data::PipelineReport;
using data::StageReport;

StageReport stage(std::string name, double busy, int threads = 1, int64_t elements = 1000) {
  return {.name = std::move(name), .elements = elements, .busy_seconds = busy, .threads = threads};
}

StageReport team_of_4(std::string name, double busy) {
  StageReport result = stage(std::move(name), busy, 4);
  result.team = 1;
  return result;
}

TEST(Report, NamesWhatLimitsItsShareAndTheRemedy) {
  struct Row {
    std::vector<StageReport> stages;
    double seconds, waited;
    std::string diagnosis;
  };
  const std::vector<Row> rows{
      {{}, 0, 0, "nothing was read yet"},
      {{stage("range", 1), stage("map at a.cc:3", 8), stage("batch", 0.5)},
       10,
       9.5,
       "map at a.cc:3 limits: at work 80 % of the time on 1 thread; the reader waited 95 % of the "
       "time. Remedy: map(..., {.num_parallel_calls = data::autotune}) uses all processors; "
       "prefetch(data::autotune) at the end"},
      // 12 seconds on 4 threads are less than 4 on one.
      {{stage("from_generator at g.cc:9", 4), stage("map", 12, 4), stage("prefetch", 0.1)},
       5,
       4,
       "from_generator at g.cc:9 limits: at work 80 % of the time on 1 thread; the reader waited "
       "80 % of the time. Remedy: prefetch(data::autotune) after it, or several generators by "
       "interleave"},
      {{stage("map", 10. * (usable_processors() + 1), usable_processors() + 1),
        stage("batch", 1, 1, 10), stage("prefetch", 0, 1, 10)},
       10,
       9,
       str("map limits: at work 100 % of the time on ", usable_processors() + 1,
           " threads; the reader waited 90 % of the time. Remedy: more parallel calls where the "
           "function waits for a network or a disk; else batch before this map, so that the "
           "function works on whole batches")},
      // 8 microseconds each: less than handing them over would take.
      {{stage("map", 8, 1, 1'000'000), stage("batch", 1, 1, 5000), stage("prefetch", 0, 1, 5000)},
       10,
       9,
       "map limits: at work 80 % of the time on 1 thread; the reader waited 90 % of the time. "
       "Remedy: batch before this map, so that the function works on whole batches"},
      // The reader's own work takes the other half: the map is all that it waits for.
      {{stage("range", 0.1), stage("map at a.cc:3", 4.5), stage("batch", 0.2, 1, 600)},
       10,
       5,
       "map at a.cc:3 limits: at work 45 % of the time on 1 thread; the reader waited 50 % of the "
       "time. Remedy: map(..., {.num_parallel_calls = data::autotune}) uses all processors; "
       "prefetch(data::autotune) at the end"},
      {{stage("reading of TFRecord files", 3), stage("prefetch", 0)},
       4,
       2,
       "reading of TFRecord files limits: at work 75 % of the time on 1 thread; the reader waited "
       "50 % of the time. Remedy: tfrecords(files, {.num_parallel_reads = data::autotune}), over "
       "more files"},
      // Two seconds of work in each second of every thread: no more of them help.
      {{stage("reading of TFRecord files", 3. * usable_processors(), usable_processors() + 1),
        stage("tfrecords", 0.1, usable_processors() + 1), stage("prefetch", 0)},
       3,
       2,
       str("reading of TFRecord files limits: at work ",
           std::lround(100. * usable_processors() / (usable_processors() + 1)),
           " % of the time on ", usable_processors() + 1,
           " threads; the reader waited 67 % of the time. Remedy: more parallel reads where the "
           "files are remote; else cache() after it where it fits, a nearer disk, or files that "
           "are not compressed")},
      // Threads that open and read: each alone is less than half of what they do.
      {{team_of_4("reading of TFRecord files", 17), team_of_4("tfrecords at a.cc:3", 15),
        stage("prefetch", 0)},
       10,
       10,
       "reading of TFRecord files limits: at work 80 % of the time on 4 threads, which also run "
       "tfrecords at a.cc:3; the reader waited 100 % of the time. Remedy: " +
           (usable_processors() > 4
                ? std::string("tfrecords(files, {.num_parallel_reads = data::autotune}), over more "
                              "files")
                : std::string("more parallel reads where the files are remote; else cache() after "
                              "it where it fits, a nearer disk, or files that are not "
                              "compressed"))},
      {{team_of_4("reading of TFRecord files", 10), team_of_4("tfrecords at a.cc:3", 25),
        stage("prefetch", 0)},
       10,
       10,
       "tfrecords at a.cc:3 limits: at work 88 % of the time on 4 threads, which also run reading "
       "of TFRecord files; the reader waited 100 % of the time. Remedy: fewer and larger files "
       "(systolic tfrecord shard), or more num_parallel_reads: it opens one after the other for "
       "longer than it reads"},
      {{stage("batch at b.cc:2", 4, 1, 10), stage("prefetch", 0)},
       5,
       4,
       "batch at b.cc:2 limits: at work 80 % of the time on 1 thread; the reader waited 80 % of "
       "the time. Remedy: bytes (u8) in place of floats, and prefetch(data::autotune) after it"},
      // Two threads at 40 % each: more of them would wait as these do.
      {{stage("range", 0.1), stage("map at a.cc:3", 8, 2), stage("prefetch", 0)},
       10,
       9,
       "no stage limits, threads wait for one another or for a processor; map at a.cc:3 works "
       "longest: at work 40 % of the time on 2 threads; the reader waited 90 % of the time. "
       "Remedy: batch earlier, so that fewer and larger elements change hands, fewer threads, or "
       "other programs off the processors"},
      {{stage("range", 2), stage("map at a.cc:3", 4), stage("batch", 3)},
       10,
       9,
       "no stage limits alone, they work in turns, map at a.cc:3 longest: at work 40 % of the time "
       "on 1 thread; the reader waited 90 % of the time. Remedy: prefetch(data::autotune) between "
       "them; map(..., {.num_parallel_calls = data::autotune}) uses all processors; "
       "prefetch(data::autotune) at the end"},
      // The first batches of a buffer as large as the dataset.
      {{stage("range", 9, 1, 3'000'000), stage("shuffle at a.cc:3", 0.5, 1, 12),
        stage("batch", 0, 1, 6), stage("prefetch", 0, 1, 5)},
       10,
       10,
       "shuffle at a.cc:3 fills its buffer, before which nothing comes out: 3,000,000 elements "
       "went "
       "in, 12 came out; range works longest for it: at work 90 % of the time on 1 thread; the "
       "reader waited 100 % of the time. Remedy: a smaller buffer, or a shuffle of what is small "
       "(file names, records before they are decoded)"},
      // To batch before the map, though it takes little for each, would shuffle batches.
      {{stage("map at a.cc:3", 4, 1, 1'000'000), stage("shuffle", 0, 1, 64),
        stage("batch", 0, 1, 32)},
       5,
       5,
       "shuffle fills its buffer, before which nothing comes out: 1,000,000 elements went in, 64 "
       "came out; map at a.cc:3 works longest for it: at work 80 % of the time on 1 thread; the "
       "reader waited 100 % of the time. Remedy: a smaller buffer, or a shuffle of what is small "
       "(file names, records before they are decoded); map(..., {.num_parallel_calls = "
       "data::autotune}) uses all processors"},
      // Later the buffer is the smaller part; and what comes after it does not work for it.
      {{stage("from_generator", 4, 1, 1000), stage("shuffle", 0, 1, 500), stage("prefetch", 0)},
       5,
       5,
       "from_generator limits: at work 80 % of the time on 1 thread; the reader waited 100 % of "
       "the "
       "time. Remedy: prefetch(data::autotune) after it, or several generators by interleave"},
      {{stage("range", 1, 1, 60'000), stage("shuffle", 0, 1, 1000), stage("map", 9, 1, 1000),
        stage("prefetch", 0)},
       10,
       10,
       "map limits: at work 90 % of the time on 1 thread; the reader waited 100 % of the time. "
       "Remedy: map(..., {.num_parallel_calls = data::autotune}) uses all processors"},
      {{stage("map", 9)}, 10, 0.2, "the reader limits: it waited 2 % of the time for the pipeline"},
  };
  for (const Row& row : rows) {
    const PipelineReport report{
        .stages = row.stages,
        .seconds = row.seconds,
        .reader_waited_seconds = row.waited,
        .ends_in_prefetch = !row.stages.empty() && row.stages.back().name == "prefetch"};
    EXPECT_EQ(report.diagnosis(), row.diagnosis);
  }
}

// Datasets that a function makes, or one for each file, are read by the threads of what made them.
TEST(Report, ThreadsAreSharedByWhatIsMadeWhileRunning) {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (int i = 0; i < 4; ++i) {
    files.push_back(folder / str("x", i));
    io::TFRecordWriter(files.back()).write("abc");
  }
  const auto threads = [](const data::Dataset& dataset, const std::string& name) {
    data::Iterator iterator = dataset.iterator();
    while (iterator.next()) {
    }
    for (const StageReport& each : iterator.report()) {
      if (each.name == name) return each.threads;
    }
    return 0;
  };
  const std::string reading = "reading of TFRecord files";
  EXPECT_EQ(threads(data::tfrecords(files), reading), 1);
  EXPECT_EQ(threads(data::tfrecords(files, {.num_parallel_reads = 3}), reading), 3);
  const auto same = [](const Literal& x) { return x; };
  const auto inner = [=](const Example& e) {
    return data::from_tensors(e).map(same, {}, {"a.cc", 1});
  };
  EXPECT_EQ(threads(data::range(9).interleave(inner, {.num_parallel_calls = 2}), "map at a.cc:1"),
            2);
  EXPECT_EQ(threads(data::range(9).interleave(inner), "map at a.cc:1"), 1);
  // A prefetch inside has a thread for each dataset that is open.
  const auto ahead = [=](const Example& e) {
    return data::from_tensors(e).map(same, {}, {"a.cc", 1}).prefetch(1);
  };
  EXPECT_EQ(threads(data::range(9).interleave(ahead, {.cycle_length = 3}), "map at a.cc:1"), 3);
}

TEST(Report, ARunningPipelineIsCounted) {
  data::Iterator iterator = data::range(200)
                                .map(
                                    [](const Literal& x) {
                                      std::this_thread::sleep_for(std::chrono::microseconds(100));
                                      return x;
                                    },
                                    {.num_parallel_calls = 2}, {"m.cc", 5})
                                .batch(10)
                                .prefetch(2)
                                .iterator();
  EXPECT_EQ(iterator.report().diagnosis(), "nothing was read yet");
  while (iterator.next()) {
  }
  const PipelineReport report = iterator.report();
  EXPECT_EQ(report.limiting()->name, "map at m.cc:5");
  EXPECT_EQ(report.limiting()->threads, 2);
  EXPECT_GT(report.seconds, 0);
  EXPECT_LE(report.reader_waited_seconds, report.seconds);
  EXPECT_GT(report.memory_budget_bytes, 0);
  EXPECT_CONTAINS(report.diagnosis(), "map at m.cc:5");
}

TEST(Report, ListsTheStagesFromTheSourceOn) {
  const TemporaryFolder folder;
  const auto names = [](const data::Dataset& dataset) {
    std::string all;
    data::Iterator iterator = dataset.batch(2).iterator();
    iterator.next();
    for (const StageReport& each : iterator.report()) all += str(data::name_in(each.name), " ");
    return all;
  };
  EXPECT_EQ(names(data::range(9).cache()), "range cache batch ");
  EXPECT_EQ(names(data::range(9).cache(folder / "file")), "range cache batch ");
  data::Iterator iterator = data::range(9).cache(folder / "file").iterator();
  while (iterator.next()) {
  }
  data::Iterator from_file = data::range(9).cache(folder / "file").iterator();
  while (from_file.next()) {
  }
  const PipelineReport again = from_file.report();
  for (const StageReport& each : again) EXPECT_EQ(each.elements, 9) << each.name;
  EXPECT_EQ(names(data::range(9).cache(folder / "file")), "reading of a cache cache batch ");
  EXPECT_EQ(names(data::range(9).concatenate(data::range(2))), "range concatenate batch ");
  EXPECT_EQ(names(data::range(9).repeat(2).shuffle(4)), "range repeat shuffle batch ");
  EXPECT_EQ(names(data::range(9).shuffle(4)), "range shuffle batch ");
  data::Iterator shuffled = data::range(9).shuffle(4).iterator();
  while (shuffled.next()) {
  }
  for (const StageReport& each : shuffled.report()) {
    EXPECT_EQ(each.elements, 9) << each.name;
    EXPECT_EQ(each.bytes, 9 * sizeof(int64_t)) << each.name;
  }
}

// Stages of datasets made while running come after the last one in the list.
TEST(Report, KnowsAPrefetchAtTheEnd) {
  const auto flat = [](const data::Dataset& dataset) {
    return dataset.flat_map([](const Example& e) { return data::from_tensors(e); });
  };
  const auto ends_in_prefetch = [](const data::Dataset& dataset) {
    data::Iterator iterator = dataset.iterator();
    iterator.next();
    return iterator.report().ends_in_prefetch;
  };
  const data::Dataset eight = flat(data::range(64)).batch(8);
  EXPECT_TRUE(ends_in_prefetch(eight.prefetch(1)));
  EXPECT_TRUE(ends_in_prefetch(eight.prefetch(1).with_options({.deterministic = false})));
  EXPECT_FALSE(ends_in_prefetch(eight));
  EXPECT_FALSE(ends_in_prefetch(data::range(9).prefetch(1).batch(2)));
  EXPECT_TRUE(eight.prefetch(1).with_options({}).advice().empty());
}

int64_t held(const data::Iterator& iterator) {
  const PipelineReport report = iterator.report();
  return std::accumulate(
      report.begin(), report.end(), int64_t{0},
      [](int64_t sum, const StageReport& each) { return sum + each.held_bytes; });
}

// One large file, listed a thousand times: what is read ahead stays in the budget, and what is read
// is the same.
TEST(Report, ReadAheadStaysInTheMemoryBudget) {
  const TemporaryFolder folder;
  {
    io::TFRecordWriter writer(folder / "large");
    for (int i = 0; i < 64; ++i) writer.write(std::string(size_t{1} << 17, static_cast<char>(i)));
  }
  const std::vector<std::string> files(1000, folder / "large");
  const auto build = [&](int64_t budget) {
    return data::tfrecords(files, {.num_parallel_reads = 16})
        .map([](const Literal& record) { return record; }, {.num_parallel_calls = 4})
        .batch(2)
        .prefetch(data::autotune)
        .with_options({.memory_budget_bytes = budget});
  };
  constexpr int64_t budget = int64_t{12} << 20;
  data::Iterator free = build(0).iterator(), bound = build(budget).iterator();
  int64_t most = 0;
  for (int i = 0; i < 150; ++i) {
    EXPECT_EQ(next(free), next(bound)) << i;
    most = std::max(most, held(bound));
  }
  // Now each has all of its 16 files open, and nobody reads: the free one fills a MiB for each, or
  // the budget would not have been needed.
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (held(free) <= budget && std::chrono::steady_clock::now() < give_up) {
    most = std::max(most, held(bound));
    std::this_thread::yield();
  }
  EXPECT_GT(held(free), budget);
  EXPECT_LE(std::max(most, held(bound)), budget);
}

// The same where the stages choose their threads: arrays of a MiB, and a reader slower than they.
TEST(Report, AutotuneStaysInTheMemoryBudget) {
  constexpr int64_t megabyte = int64_t{1} << 20, budget = 10 * megabyte;
  const auto build = [](int64_t budget_bytes) {
    return data::range(400)
        .interleave(
            [](const Example& e) {
              return data::from_tensors(e).map([](const Literal& n) {
                return Literal::filled(DType::u8, {megabyte},
                                       static_cast<double>(n.item<int64_t>() % 256));
              });
            },
            {.num_parallel_calls = data::autotune})
        .map([](const Literal& x) { return x; }, {.num_parallel_calls = data::autotune})
        .prefetch(data::autotune)
        .with_options({.memory_budget_bytes = budget_bytes});
  };
  data::Iterator bound = build(budget).iterator();
  int64_t most = 0;
  for (int i = 0; i < 400; ++i) {
    const Example element = next(bound);
    EXPECT_EQ(element.only().integer_at(0), i % 256);
    most = std::max(most, held(bound));
  }
  EXPECT_GT(most, 0);
  EXPECT_LE(most, budget);
}

// A budget that nothing fits into slows down, and stops nothing.
TEST(Report, ABudgetOfNothingStillReads) {
  const auto pipeline = data::range(20)
                            .interleave(
                                [](const Example& e) {
                                  const int64_t n = e.only().item<int64_t>();
                                  return data::range(100 * n, 100 * n + 30);
                                },
                                {.cycle_length = 4, .block_length = 3, .num_parallel_calls = 3})
                            .map([](const Literal& x) { return x; }, {.num_parallel_calls = 3})
                            .prefetch(8);
  for (const bool ordered : {true, false}) {
    int64_t count = 0;
    const auto bounded =
        pipeline.with_options({.deterministic = ordered, .memory_budget_bytes = 1});
    for ([[maybe_unused]] const Example& element : bounded) ++count;
    EXPECT_EQ(count, 600);
  }
}

TEST(Report, AdviceNamesWhatIsUnwise) {
  const Literal pixels = Literal::filled(DType::f32, {16, 32, 32}, 51.0 / 255);
  const Example bytes{{"x", pixels}}, floats{{"x", Literal::filled(DType::f32, {16, 32, 32}, 0.3)}};
  const auto on = [](const Example& batch, int64_t cores) {
    std::string all;
    for (const std::string& line : data::advice_on_batch(batch, cores)) all += line + ".";
    return all;
  };
  EXPECT_EQ(on(floats, 2), "");
  EXPECT_EQ(on(floats, 8),
            "a batch of 16 over 8 cores leaves rows of each core empty: batch at least 64.");
  EXPECT_CONTAINS(on(bytes, 1),
                  "'x' goes to the device as f32 though its values are bytes over 255");
  EXPECT_CONTAINS(on({{"x", Literal::filled(DType::f32, {16, 32, 32}, 7)}}, 1),
                  "are bytes: give u8");
  EXPECT_CONTAINS(on({{"x", Literal::filled(DType::f32, {16, 32, 32}, 1)}}, 1),
                  "a cast as the model's first layer");  // a mask, not 255 over 255
  EXPECT_EQ(on({{"x", Literal::filled(DType::f32, {16, 2}, 7)}}, 1), "");  // not worth a word

  const auto random = [n = int64_t{0}](const Literal&) mutable {
    return Literal::scalar<int64_t>(++n);
  };
  const auto same = [](const Literal& x) { return x; };
  const auto lines = [](const data::Dataset& dataset) { return dataset.advice(); };
  const data::Dataset ten = data::range(80);
  EXPECT_TRUE(lines(ten.map(same).cache().shuffle(9).map(random).batch(8).prefetch(1)).empty());
  const auto before = lines(ten.map(random, {}, {"a.cc", 1}).cache().batch(8).prefetch(1));
  ASSERT_EQ(before.size(), 1u);
  EXPECT_CONTAINS(before[0], "map at a.cc:1 gives another result each time and is before cache");
  const auto shuffled = lines(ten.shuffle(9, {}, {"a.cc", 2}).cache().batch(8));
  ASSERT_EQ(shuffled.size(), 2u);
  EXPECT_CONTAINS(shuffled[0], "shuffle at a.cc:2 is before cache");
  EXPECT_CONTAINS(shuffled[1], "end with prefetch(data::autotune)");
  // Files, say, that are read in any order, and their elements shuffled again.
  EXPECT_TRUE(lines(ten.shuffle(9).cache().shuffle(9).batch(8).prefetch(1)).empty());
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (int i = 0; i < 20; ++i) {
    files.push_back(folder / str("x", i));
    io::TFRecordWriter(files.back()).write("abc");
  }
  const auto of_files =
      lines(data::tfrecords(files, {}, {"a.cc", 4}).repeat().batch(8).prefetch(1));
  ASSERT_EQ(of_files.size(), 1u);
  EXPECT_CONTAINS(of_files[0], "tfrecords at a.cc:4: the 20 files are too small, 19 B each; ");
  files.resize(16);
  EXPECT_TRUE(lines(data::tfrecords(files).repeat().batch(8).prefetch(1)).empty());
  CaughtLog log;
  ten.map(random, {}, {"a.cc", 3}).save(folder / "saved");
  EXPECT_CONTAINS(log.lines(), "map at a.cc:3 gives another result each time and is before save");
}

}  // namespace
}  // namespace systolic
