#include "systolic/transformers/rows/row_store.h"

#include <gtest/gtest.h>

#include <numeric>

#include "systolic/io/files/test_files.h"

namespace systolic {
namespace {

TEST(RowStore, GivesTheRowsThatItGot) {
  const TemporaryFolder folder;
  for (const std::string& scratch : {std::string(), folder / ""}) {
    for (const int64_t rows : {0, 1, 3000}) {  // more numbers than are written at once
      RowStore store(scratch);
      const auto row_of = [](int64_t row) {
        std::vector<int32_t> values(static_cast<size_t>(row * 7 % 200));
        std::iota(values.begin(), values.end(), static_cast<int32_t>(row) - 5);
        return values;
      };
      for (int64_t row = 0; row < rows; ++row) store.add(row_of(row));
      store.finish();
      ASSERT_EQ(store.rows(), rows);
      for (int64_t row = rows - 1; row >= 0; --row) {
        const std::vector<int32_t> wanted = row_of(row);
        ASSERT_EQ(store.length(row), static_cast<int64_t>(wanted.size()));
        const auto got = store.row(row);
        ASSERT_EQ(std::vector<int32_t>(got.begin(), got.end()), wanted) << scratch << row;
      }
    }
  }
}

}  // namespace
}  // namespace systolic
