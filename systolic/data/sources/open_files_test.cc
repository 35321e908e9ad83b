// Pipelines in a process that may have few files open (ulimit -n 64).
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include "systolic/base/test_errors.h"
#include "systolic/data/dataset.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/tfrecord_writer.h"

namespace systolic {
namespace {

class FewOpenFiles {
 public:
  explicit FewOpenFiles(rlim_t most) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{.rlim_cur = most, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewOpenFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewOpenFiles(const FewOpenFiles&) = delete;
  FewOpenFiles& operator=(const FewOpenFiles&) = delete;

 private:
  rlimit before_{};
};

class OpenFiles : public testing::Test {
 protected:
  OpenFiles() {
    for (int64_t file = 0; file < count_; ++file) {
      files_.push_back(folder_ / str("part-", file));
      io::TFRecordWriter writer(files_.back());
      for (int64_t i = 0; i < 3; ++i) writer.write(str(3 * file + i));
      writer.close();
    }
  }
  // All records are there once, in whichever order.
  void expect_all(const data::Dataset& dataset) const {
    std::vector<int64_t> seen;
    for (const Example& element : dataset)
      seen.push_back(std::stoll(std::string(element["record"].bytes())));
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(seen.size(), static_cast<size_t>(3 * count_));
    for (int64_t i = 0; i < 3 * count_; ++i) EXPECT_EQ(seen[static_cast<size_t>(i)], i);
  }
  data::Dataset in_turns(int64_t cycle, int threads) const {
    std::vector<std::string_view> names(files_.begin(), files_.end());
    return data::from_tensor_slices(Literal::strings(names, Shape{count_}))
        .interleave([](const Example& e) { return data::tfrecords(std::string(e.only().bytes())); },
                    {.cycle_length = cycle, .block_length = 2, .num_parallel_calls = threads});
  }

  static constexpr int64_t count_ = 300;
  TemporaryFolder folder_;
  std::vector<std::string> files_;
};

TEST_F(OpenFiles, AreAsManyAsAreReadInTurns) {
  const FewOpenFiles few(64);
  for (const int reads : {1, 4, 16, data::autotune})
    expect_all(data::tfrecords(files_, {.num_parallel_reads = reads}));
  for (const int threads : {1, 3}) expect_all(in_turns(32, threads));
}

// For files that are larger than what is read ahead of them.
TEST_F(OpenFiles, ThatAreTooManyAreOneError) {
#if defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
  GTEST_SKIP()
      << "the sanitizer opens a pipe to look at an object's type, and there is no file for it";
#endif
#endif
  io::TFRecordWriter writer(folder_ / "large");
  for (int i = 0; i < 16; ++i) writer.write(std::string(300'000, 'x'));
  writer.close();
  const std::string large = folder_ / "large";
  const FewOpenFiles few(64);
  for (const int threads : {1, 3}) {
    const data::Dataset records =
        data::range(200).interleave([large](const Example&) { return data::tfrecords(large); },
                                    {.cycle_length = 200, .num_parallel_calls = threads});
    for (int again = 0; again < 2; ++again) {  // those that were open are closed
      expect_parts(error_of([&] {
                     for ([[maybe_unused]] const Example& element : records) continue;
                   }),
                   {"ResourceExhausted", "cannot open '", "Too many open files", "ulimit -n 4096",
                    "cycle_length"});
    }
  }
  expect_all(data::tfrecords(files_, {.num_parallel_reads = 16}));
}

}  // namespace
}  // namespace systolic
