#include "systolic/io/arrow/arrow_file.h"

#include <gtest/gtest.h>

#include <cstring>

#include "systolic/base/test_errors.h"
#include "systolic/io/arrow/arrow_program.h"
#include "tests/source_path.h"

namespace systolic {
namespace {

std::string golden_table(const std::string& name) {
  return test::source_path("systolic/datasets/golden/arrow/") + name;
}

std::string text_of(const io::ArrowArray& array, int64_t i) {
  const auto begin = static_cast<size_t>(array.offsets[static_cast<size_t>(i)]);
  const auto end = static_cast<size_t>(array.offsets[static_cast<size_t>(i) + 1]);
  return {reinterpret_cast<const char*>(array.values.data()) + begin, end - begin};
}

TEST(ArrowFile, SaysWhatItHolds) {
  if (!io::has_arrow()) GTEST_SKIP() << "this build has no Arrow";
  const io::ArrowFile file(golden_table("zstd.parquet"),
                           {.columns = {{"messages", "time", "pair", "kind"}}});
  EXPECT_EQ(file.num_rows(), 7);
  const std::vector<io::ArrowField>& fields = file.fields();
  ASSERT_EQ(fields.size(), 4u);
  EXPECT_EQ(fields[0].name, "kind");
  EXPECT_EQ(fields[0].kind, io::ArrowKind::dictionary);
  EXPECT_EQ(fields[1].type, "timestamp[us]");
  EXPECT_EQ(fields[1].dtype, DType::i64);
  EXPECT_EQ(fields[2].width, 2);
  EXPECT_EQ(fields[3].inner[0].inner[1].name, "content");
  EXPECT_EQ(io::ArrowFile(golden_table("stream.arrow")).num_rows(), std::nullopt);
  EXPECT_NE(io::ArrowFile(golden_table("media.parquet")).huggingface_metadata().find("ClassLabel"),
            std::string::npos);
}

// A batch stays as it was while the next ones are read, also where they share a block of memory.
TEST(ArrowFile, BatchesAreKept) {
  if (!io::has_arrow()) GTEST_SKIP() << "this build has no Arrow";
  for (const uint64_t block_bytes : {0, 64, 4096, 17'000}) {
    io::ArrowFile file(
        golden_table("none.parquet"),
        {.columns = {{"large_text", "i64"}}, .batch_rows = 2, .block_bytes = block_bytes});
    std::vector<io::ArrowBatch> batches;
    while (auto batch = file.next()) batches.push_back(*std::move(batch));
    EXPECT_FALSE(file.next());
    int64_t row = 0;
    for (const io::ArrowBatch& batch : batches) {
      EXPECT_LE(batch.rows, 2);
      for (int64_t i = 0; i < batch.rows; ++i, ++row) {
        EXPECT_EQ(text_of(batch.columns[0], i), str("row ", row));
        int64_t number = 0;
        std::memcpy(&number, batch.columns[1].values.data() + i * 8, sizeof number);
        EXPECT_EQ(number, row << 40);
      }
    }
    EXPECT_EQ(row, 7);
  }
}

}  // namespace
}  // namespace systolic
