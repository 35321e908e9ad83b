// Many small remote files: how many requests of the pipeline are on their way together.
#include <gtest/gtest.h>

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

constexpr int64_t file_count = 24, records_in_file = 3;

class SmallFiles : public ::testing::Test {
 protected:
  SmallFiles() {
    const TemporaryFolder folder;
    for (int64_t file = 0; file < file_count; ++file) {
      const std::string name = str("part-", file);
      {
        io::TFRecordWriter writer(folder / name);
        for (int64_t i = 0; i < records_in_file; ++i) writer.write(str(file, ".", i));
      }
      server_.put(name, io::read_file(folder / name));
      files_.push_back("gs://bucket/" + name);
    }
    storage::GcsOptions options;
    options.endpoint = server_.url();
    options.credentials = storage::anonymous_credentials();
    io::register_file_system("gs", storage::gcs_file_system(options));
  }
  ~SmallFiles() override { io::register_file_system("gs", storage::gcs_file_system()); }

  data::Dataset by_tfrecords(int threads) const {
    return data::tfrecords(files_, {.num_parallel_reads = threads});
  }
  data::Dataset by_interleave(int threads) const {
    return data::from_tensor_slices(Literal::strings(files_))
        .interleave([](const std::string& path) { return data::tfrecords({path}); },
                    {.cycle_length = 4, .num_parallel_calls = threads});
  }
  static std::vector<std::string> rest_of(data::Iterator iterator) {
    std::vector<std::string> records;
    while (const auto element = iterator.next()) records.emplace_back(element->only().bytes());
    return records;
  }
  TestGcsServer server_;
  std::vector<std::string> files_;
};

// Each request waits until this many are there: of files that are opened (no bytes of them are
// asked for), as many as there are threads, though only the first few are read in turns.
TEST_F(SmallFiles, AreOpenedBeforeTheirTurn) {
  for (const bool tfrecords : {true, false}) {
    const data::Dataset dataset = tfrecords ? by_tfrecords(4) : by_interleave(4);
    const std::vector<std::string> expected = rest_of(dataset.iterator());
    ASSERT_EQ(expected.size(), static_cast<size_t>(file_count * records_in_file));
    std::atomic<int> open{0}, most{0};
    server_.set_guard([&](const TestRequest& request, TestGcsServer&) {
      if (request.parameter("alt") == "media") return std::optional<TestResponse>();
      most = std::max<int>(most, ++open);
      const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (most < 4 && std::chrono::steady_clock::now() < give_up) std::this_thread::yield();
      --open;
      return std::optional<TestResponse>();
    });
    EXPECT_EQ(rest_of(dataset.iterator()), expected);
    EXPECT_GE(most, 4);
    server_.set_guard({});
  }
}

// Whose turn has not come is known to the state, too.
TEST_F(SmallFiles, ResumeWithWhatWasOpenedAhead) {
  for (const data::Dataset& dataset : {by_tfrecords(3), by_interleave(3)}) {
    const std::vector<std::string> expected = rest_of(dataset.iterator());
    for (size_t taken = 0; taken <= expected.size(); taken += 7) {
      data::Iterator iterator = dataset.iterator();
      for (size_t i = 0; i < taken; ++i) next(iterator);
      const std::string state = iterator.save();
      const std::vector<std::string> rest(expected.begin() + static_cast<std::ptrdiff_t>(taken),
                                          expected.end());
      EXPECT_EQ(rest_of(dataset.iterator(state)), rest) << taken;
      EXPECT_EQ(rest_of(std::move(iterator)), rest) << taken;
    }
  }
}

// A file that cannot be opened is an error where its records would be; what comes before is read.
TEST_F(SmallFiles, OneThatIsMissingIsAnErrorAtItsPlace) {
  const data::Dataset one_by_one = by_interleave(1), ahead = by_interleave(4);
  server_.set_guard([](const TestRequest& request, TestGcsServer&) {
    const bool missing = request.path.find("/part-9?") != std::string::npos ||
                         request.path.rfind("/part-9") == request.path.size() - 7;
    return missing ? std::optional(TestGcsServer::error(404, "No such object")) : std::nullopt;
  });
  const auto until_error = [](const data::Dataset& dataset) {
    std::vector<std::string> records;
    data::Iterator iterator = dataset.iterator();
    const std::string error = error_of([&] {
      while (const auto element = iterator.next()) records.emplace_back(element->only().bytes());
    });
    EXPECT_CONTAINS(error, "cannot read 'gs://bucket/part-9'");
    return records;
  };
  const std::vector<std::string> expected = until_error(one_by_one);
  EXPECT_GT(expected.size(), 8u);
  EXPECT_EQ(until_error(ahead), expected);
}

// Closed while files are opened for nobody any more: what is on its way is waited for, no more.
TEST_F(SmallFiles, ClosingEarlyOpensNoMore) {
  const data::Dataset dataset = by_interleave(4);
  data::Iterator iterator = dataset.iterator();
  next(iterator);
  { const data::Iterator gone = std::move(iterator); }
  const size_t requests = server_.requests().size();
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  EXPECT_EQ(server_.requests().size(), requests);
}

}  // namespace
}  // namespace systolic
