#include "systolic/plan/largest_batch.h"

#include <gtest/gtest.h>

#include <functional>

namespace systolic {
namespace {

using plan::find_largest_batch;
using plan::LargestBatch;

constexpr int64_t limit = 16'000'000'000;

// Bytes by batch, as compilers' answers look.
struct Row {
  const char* name;
  int64_t start;
  std::function<int64_t(int64_t)> bytes;
  int64_t fits, does_not;
  int most_compilations;
};
const std::vector<Row> rows = {
    {"a line", 25, [](int64_t b) { return 1'000'000'000 + 15'000'000 * b; }, 1000, 1008, 4},
    {"a line through zero", 128, [](int64_t b) { return 10'000'000 * b; }, 1600, 1608, 3},
    {"large weights", 8, [](int64_t b) { return 15'900'000'000 + 1'000'000 * b; }, 96, 104, 4},
    // Rows are laid out in eights.
    {"steps of a tile", 25,
     [](int64_t b) { return 2'000'000'000 + 50'000'000 * ((b + 7) / 8 * 8); }, 280, 288, 6},
    {"a start that does not fit", 512, [](int64_t b) { return 100'000'000 * b; }, 160, 168, 6},
    {"small batches count one by one", 1,
     [](int64_t b) { return 1'000'000'000 + 4'000'000'000 * b; }, 3, 4, 4},
};

TEST(LargestBatch, IsWhereMemoryEnds) {
  for (const Row& row : rows) {
    int calls = 0;
    const LargestBatch found =
        find_largest_batch(row.start, limit, 6, [&](int64_t batch) -> std::optional<int64_t> {
          ++calls;
          EXPECT_GT(batch, 0) << row.name;
          if (row.bytes(batch) > limit) return std::nullopt;
          return row.bytes(batch);
        });
    EXPECT_EQ(found.fits, row.fits) << row.name;
    EXPECT_EQ(found.does_not, row.does_not) << row.name;
    EXPECT_EQ(found.peak, row.bytes(row.fits)) << row.name;
    EXPECT_TRUE(found.exact()) << row.name;
    EXPECT_EQ(found.compilations, calls) << row.name;
    EXPECT_LE(calls, row.most_compilations) << row.name;
  }
}

// The compiler that saves memory where it must: no line, but bounds that hold.
TEST(LargestBatch, GivesBoundsWhereItRunsOutOfCompilations) {
  const LargestBatch found =
      find_largest_batch(16, limit, 6, [](int64_t batch) -> std::optional<int64_t> {
        if (batch > 2000) return std::nullopt;
        return std::min<int64_t>(limit - 1'000'000'000, 30'000'000 * batch) + batch;
      });
  EXPECT_LE(found.compilations, 6);
  EXPECT_LE(found.fits, 2000);
  EXPECT_GE(found.fits, 500);
  ASSERT_TRUE(found.does_not.has_value());
  EXPECT_GT(*found.does_not, 2000);
}

TEST(LargestBatch, SaysWhenNothingFitsOrEverythingDoes) {
  const LargestBatch none = find_largest_batch(64, limit, 6, [](int64_t) { return std::nullopt; });
  EXPECT_EQ(none.fits, 0);
  EXPECT_EQ(none.does_not, 1);
  EXPECT_TRUE(none.exact());
  const LargestBatch all =
      find_largest_batch(64, limit, 6, [](int64_t) -> std::optional<int64_t> { return 1'000'000; });
  EXPECT_TRUE(all.reached_limit);
  EXPECT_EQ(all.fits, plan::largest_tried);
  EXPECT_EQ(find_largest_batch(64, limit, 0, [](int64_t) { return std::nullopt; }).compilations, 0);
}

}  // namespace
}  // namespace systolic
