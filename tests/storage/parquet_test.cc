// Parquet files in a bucket: the process that reads them has no network, and asks for their bytes.
#include <gtest/gtest.h>

#include "systolic/base/test_errors.h"
#include "systolic/datasets/load_dataset.h"
#include "systolic/io/arrow/arrow_program.h"
#include "systolic/io/files/file.h"
#include "systolic/storage/gcs_file_system.h"
#include "systolic/storage/test_gcs_server.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

class ParquetInABucket : public testing::Test {
 protected:
  void SetUp() override {
    if (!io::has_arrow()) GTEST_SKIP() << "this build has no Arrow";
    storage::GcsOptions options;
    options.endpoint = server_.url();
    options.credentials = storage::anonymous_credentials();
    io::register_file_system("gs", storage::gcs_file_system(options));
    for (const char* name : {"train-00000-of-00002", "train-00001-of-00002", "test-00000-of-00001"})
      server_.put(str("set/data/", name, ".parquet"),
                  io::read_file(test::source_path("systolic/datasets/golden/arrow/zstd.parquet")));
  }
  void TearDown() override { io::register_file_system("gs", storage::gcs_file_system()); }
  TestGcsServer server_;
};

TEST_F(ParquetInABucket, FoldersPatternsAndFilesAreRead) {
  const auto folder = datasets::load_dataset("gs://bucket/set", {.columns = {{"text", "f64"}}});
  EXPECT_EQ(folder.split_names(), (std::vector<std::string>{"test", "train"}));
  EXPECT_EQ(folder["train"].num_rows(), 14);
  EXPECT_EQ(folder["test"]["text"][6], Literal::scalar("xxxxxx"));
  const auto files = datasets::load_dataset(
      "parquet", {.data_files = "gs://bucket/set/data/train-*.parquet", .columns = {{"i64"}}});
  int64_t rows = 0;
  for (const Example& row : files.stream("train")) rows += row["i64"].size();
  EXPECT_EQ(rows, 14);
}

TEST_F(ParquetInABucket, OneThatIsCutOffIsNamed) {
  const std::string whole =
      io::read_file(test::source_path("systolic/datasets/golden/arrow/zstd.parquet"));
  server_.put("cut.parquet", whole.substr(0, whole.size() / 2));
  const auto cut = datasets::load_dataset("parquet", {.data_files = "gs://bucket/cut.parquet"});
  expect_parts(error_of([&] { cut["train"]; }), {"DataLoss", "gs://bucket/cut.parquet"});
}

}  // namespace
}  // namespace systolic
