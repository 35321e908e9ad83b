// The memory that a process really has, with a pipeline that reads far more than that.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "systolic/base/test_errors.h"
#include "systolic/data/dataset.h"
#include "systolic/io/test_files.h"
#include "systolic/io/tfrecord_writer.h"

namespace systolic {
namespace {

int64_t resident_bytes() {
  int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

// One file of 8 MiB, listed a thousand times and read by 16 at once: of the 8 GB, 320 MB pass by
// while the process grows by no more than its budget, a block of each of the 16 files that are
// open, and what malloc keeps (25 MB in all).
TEST(Memory, OfOneLargeFileListedAThousandTimes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers keep what is freed";
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  GTEST_SKIP() << "sanitizers keep what is freed";
#endif
#endif
  constexpr int64_t megabyte = int64_t{1} << 20, budget = 12 * megabyte;
  const TemporaryFolder folder;
  {
    io::TFRecordWriter writer(folder / "large");
    for (int i = 0; i < 64; ++i) writer.write(std::string(size_t{1} << 17, static_cast<char>(i)));
  }
  const std::vector<std::string> files(1000, folder / "large");
  const int64_t before = resident_bytes();
  int64_t most = before;
  {
    data::Iterator iterator =
        data::tfrecords(files, {.num_parallel_reads = 16})
            .map([](const Literal& record) { return record; }, {.num_parallel_calls = 4})
            .batch(2)
            .prefetch(data::autotune)
            .with_options({.memory_budget_bytes = budget})
            .iterator();
    for (int i = 0; i < 1280; ++i) {
      ASSERT_TRUE(iterator.next());
      most = std::max(most, resident_bytes());
    }
  }
  RecordProperty("grown_bytes", std::to_string(most - before));
  EXPECT_LE(most - before, 2 * (budget + 16 * megabyte));
}

}  // namespace
}  // namespace systolic
