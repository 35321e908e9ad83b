// The memory that a process really has, with a pipeline that reads far more than that.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "systolic/base/sanitized.h"
#include "systolic/base/test_errors.h"
#include "systolic/data/dataset.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace systolic {
namespace {

constexpr int64_t megabyte = int64_t{1} << 20;

// Counted page by page: the sums in statm are some hundred kilobytes out of date. INT64_MAX where
// the kernel does not count.
int64_t resident_bytes() {
  std::ifstream sums("/proc/self/smaps_rollup");
  for (std::string line; std::getline(sums, line);)
    if (line.rfind("Rss:", 0) == 0) return std::stoll(line.substr(4)) * 1024;
  return INT64_MAX;
}

struct Case {
  int64_t budget, record_bytes;
  int parallel_reads, parallel_calls;
};

data::Iterator start(const Case& c, const std::string& file) {
  return data::tfrecords(std::vector<std::string>(1000, file),
                         {.num_parallel_reads = c.parallel_reads})
      .map([](const Literal& record) { return record; }, {.num_parallel_calls = c.parallel_calls})
      .batch(2)
      .prefetch(data::autotune)
      .with_options({.memory_budget_bytes = c.budget})
      .iterator();
}

std::string write_records(const TemporaryFolder& folder, const std::string& name, int64_t records,
                          int64_t bytes) {
  io::TFRecordWriter writer(folder / name);
  for (int64_t i = 0; i < records; ++i)
    writer.write(std::string(static_cast<size_t>(bytes), static_cast<char>(i)));
  return folder / name;
}

// By how much this process grows while it reads 160 MB. A reading of tiny records, by as many
// threads, comes before: their stacks, malloc's arenas and the program's own pages are there then.
int64_t grown_bytes(const Case& c) {
  const TemporaryFolder folder;
  const std::string tiny = write_records(folder, "tiny", 64, 8);
  const std::string large =
      write_records(folder, "large", 8 * megabyte / c.record_bytes, c.record_bytes);
  {
    data::Iterator iterator = start(c, tiny);
    for (int i = 0; i < 1000; ++i) iterator.next();
  }
  const int64_t before = resident_bytes();
  int64_t most = before;
  data::Iterator iterator = start(c, large);
  int64_t looked_at = 0;
  for (int64_t bytes = 0; bytes < 160 * megabyte; bytes += 2 * c.record_bytes) {
    if (!iterator.next()) return INT64_MAX;
    if (bytes - looked_at < megabyte / 4) continue;
    most = std::max(most, resident_bytes());
    looked_at = bytes;
  }
  return most - before;
}

// The stacks of threads that had little to do before, and what malloc took for the bookkeeping.
constexpr int64_t margin_of(const Case& c) {
  return (c.parallel_reads + c.parallel_calls + 1) * 24 * 1024;
}

// One file of 8 MB, listed a thousand times, read by several at once: no more than the budget. In
// a process of its own, as blocks that other tests gave back would hide what this one takes.
TEST(MemoryDeathTest, OfOneLargeFileListedAThousandTimesStaysInItsBudget) {
  if (is_sanitized) GTEST_SKIP() << "sanitizers keep what is freed";
  if (resident_bytes() == INT64_MAX) GTEST_SKIP() << "this kernel has no /proc/self/smaps_rollup";
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const Case cases[] = {
      {.budget = 12 * megabyte, .record_bytes = 1 << 17, .parallel_reads = 16, .parallel_calls = 4},
      {.budget = 12 * megabyte, .record_bytes = 20'000, .parallel_reads = 16, .parallel_calls = 4},
      {.budget = 12 * megabyte, .record_bytes = 1000, .parallel_reads = 16, .parallel_calls = 4},
      {.budget = 32 * megabyte, .record_bytes = 1 << 17, .parallel_reads = 16, .parallel_calls = 4},
      {.budget = 12 * megabyte, .record_bytes = 1 << 20, .parallel_reads = 4, .parallel_calls = 2}};
  for (const Case& c : cases) {
    const auto read = [&] {
      const int64_t grown = grown_bytes(c);
      std::cerr << "grown by " << grown << " bytes\n";
      std::_Exit(grown <= c.budget + margin_of(c) ? 0 : 1);
    };
    EXPECT_EXIT(read(), ::testing::ExitedWithCode(0), "grown by")
        << c.budget << " " << c.record_bytes;
  }
}

// A shuffle of a source whose elements are computed holds their numbers.
TEST(MemoryDeathTest, OfAShuffledSourceIsThatOfItsNumbers) {
  if (is_sanitized) GTEST_SKIP() << "sanitizers keep what is freed";
  if (resident_bytes() == INT64_MAX) GTEST_SKIP() << "this kernel has no /proc/self/smaps_rollup";
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto read = [] {
    constexpr int64_t rows = int64_t{1} << 21;
    const int64_t before = resident_bytes();
    data::Iterator iterator = data::range(rows).shuffle(rows).iterator();
    const bool gives = iterator.next().has_value();
    const int64_t grown = resident_bytes() - before;
    std::cerr << "grown by " << grown << " bytes\n";
    // A vector that grows holds up to three times as much while it does.
    std::_Exit(gives && grown < 3 * 8 * rows + megabyte ? 0 : 1);
  };
  EXPECT_EXIT(read(), ::testing::ExitedWithCode(0), "grown by");
}

}  // namespace
}  // namespace systolic
