// Pipelines of many remote files within a memory budget.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/data/dataset.h"
#include "systolic/io/files/file.h"
#include "systolic/io/files/test_files.h"
#include "systolic/io/records/tfrecord_writer.h"
#include "systolic/storage/gcs_file_system.h"
#include "systolic/storage/test_gcs_server.h"

namespace systolic {
namespace {

constexpr int64_t megabyte = int64_t{1} << 20, budget = 12 * megabyte;
constexpr int64_t records = 128, record_bytes = int64_t{1} << 17;

int64_t held(const data::Iterator& iterator) {
  int64_t sum = 0;
  for (const auto& stage : iterator.report().stages) sum += stage.held_bytes;
  return sum;
}

// 16 MB of records, and as many of lines.
class RemoteFiles : public ::testing::Test {
 protected:
  RemoteFiles() {
    const TemporaryFolder folder;
    std::string lines;
    {
      io::TFRecordWriter writer(folder / "records");
      for (int64_t i = 0; i < records; ++i) writer.write(line(i));
    }
    for (int64_t i = 0; i < records; ++i) lines += line(i) + "\n";
    server_.put("records", io::read_file(folder / "records"));
    server_.put("lines", lines);
    storage::GcsOptions options;
    options.endpoint = server_.url();
    options.credentials = storage::anonymous_credentials();
    io::register_file_system("gs", storage::gcs_file_system(options));
  }
  ~RemoteFiles() override { io::register_file_system("gs", storage::gcs_file_system()); }
  static std::string line(int64_t i) {
    return std::string(record_bytes, static_cast<char>('0' + i % 64));
  }
  static data::Dataset of_records(int64_t budget_bytes) {
    return data::tfrecords(std::vector<std::string>(16, "gs://bucket/records"),
                           {.num_parallel_reads = 16})
        .prefetch(data::autotune)
        .with_options({.memory_budget_bytes = budget_bytes});
  }
  static data::Dataset of_lines(int64_t budget_bytes) {
    return data::from_tensor_slices(
               Literal::strings(std::vector<std::string>(16, "gs://bucket/lines")))
        .interleave([](const std::string& path) { return data::text_lines({path}); },
                    {.cycle_length = 16, .num_parallel_calls = 16})
        .with_options({.memory_budget_bytes = budget_bytes});
  }
  TestGcsServer server_;
};

// What is read ahead stays in the budget, whatever the files are of; and with more of it they would
// have read further.
TEST_F(RemoteFiles, ReadAheadStaysInTheMemoryBudget) {
  for (const auto& build : {of_records, of_lines}) {
    data::Iterator free = build(0).iterator(), bound = build(budget).iterator();
    int64_t most = 0, most_free = 0;
    for (int64_t i = 0; i < 16 * records; ++i) {
      EXPECT_EQ(next(free), next(bound)) << i;
      most = std::max(most, held(bound));
      most_free = std::max(most_free, held(free));
    }
    EXPECT_FALSE(bound.next());
    EXPECT_LE(most, budget);
    EXPECT_GT(most_free, 2 * budget);
  }
}

// A budget that nothing fits into slows down, and stops nothing.
TEST_F(RemoteFiles, ABudgetOfNothingStillReads) {
  data::Iterator iterator = of_records(1).iterator();
  int64_t count = 0;
  while (iterator.next()) ++count;
  EXPECT_EQ(count, 16 * records);
}

// Many are opened at a time when the pipeline is built, and the first that is missing is named.
TEST_F(RemoteFiles, AreOpenedTogether) {
  std::atomic<int> open{0}, most{0};
  server_.set_guard([&](const TestRequest&, TestGcsServer&) {
    most = std::max<int>(most, ++open);
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (most < 8 && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
    --open;
    return std::optional<TestResponse>();
  });
  const std::vector<std::string> files(32, "gs://bucket/records");
  EXPECT_EQ(data::tfrecords(files).cardinality(), data::unknown_cardinality);
  EXPECT_GE(most, 8);
  std::vector<std::string> missing = files;
  missing[20] = "gs://bucket/none";
  EXPECT_CONTAINS(error_of([&] { data::tfrecords(missing); }),
                  "NotFound: cannot read 'gs://bucket/none'");
}

}  // namespace
}  // namespace systolic
