#include "systolic/io/files/file_advice.h"

#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"

namespace systolic {
namespace {

constexpr uint64_t megabyte = 1'000'000;

TEST(FileAdvice, FilesOfAHundredMegabytesOneACoreAtLeast) {
  EXPECT_EQ(io::advised_files(0, 8), 1);
  EXPECT_EQ(io::advised_files(45 * megabyte, 8), 4);  // of at least 10 MB
  EXPECT_EQ(io::advised_files(500 * megabyte, 8), 10);
  EXPECT_EQ(io::advised_files(500 * megabyte, 32), 32);
  EXPECT_EQ(io::advised_files(5000 * megabyte, 8), 50);
  EXPECT_EQ(io::advised_files(500'000 * megabyte, 8), 999);
}

TEST(FileAdvice, NamesWhatDoesNotSuit) {
  EXPECT_CONTAINS(io::advice_on_files(2000, 90'000 * megabyte, 8), "too many files, 2,000; ");
  EXPECT_CONTAINS(io::advice_on_files(400, 400 * megabyte, 8), "the 400 files are too small, ");
  EXPECT_CONTAINS(io::advice_on_files(1, 500 * megabyte, 8), "too few files for 8 cores, 1; ");
  EXPECT_CONTAINS(io::advice_on_files(8, 50'000 * megabyte, 8), "too few files for 8 cores, 8; ");
  EXPECT_CONTAINS(io::advice_on_files(1, 500 * megabyte, 8), "systolic tfrecord shard --shards 10");
  for (const uint64_t files : {10, 50, 100}) {
    EXPECT_EQ(io::advice_on_files(files, 1000 * megabyte, 8), "") << files;
  }
  EXPECT_EQ(io::advice_on_files(16, 1, 8), "");  // a few small files
  EXPECT_EQ(io::advice_on_files(1, 500 * megabyte, 1), "");
  EXPECT_EQ(io::advice_on_files(0, 0, 8), "");
}

}  // namespace
}  // namespace systolic
