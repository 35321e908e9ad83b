// Row sums against scatter_add_rows, which stores the table: the same bits, alone and as the input
// of an elementwise program or a reduction.
#include "backends/cpu/kernels/movement/row_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "backends/cpu/kernels/movement/gather.h"
#include "backends/cpu/kernels/reduce/reduce.h"
#include "backends/cpu/kernels/tile/tile_program.h"

namespace systolic {
namespace {

struct Table {
  int64_t rows, width;
  std::vector<int32_t> indices;
};

const Table tables[] = {
    {7, 1, {3, 3, 0}},
    {50, 16, {49, 0, 1, 1, 49, 1}},
    {5, 700, {4, 2, 2}},               // rows longer than a tile
    {400, 96, {-1, 400, 399, 7, -8}},  // some outside
    {600, 130, {}},
    {9, 3, {8}},
};

std::vector<float> updates_of(const Table& table) {
  return converted<float>(test_values(static_cast<int64_t>(table.indices.size()) * table.width, 5));
}
std::vector<int32_t> lists_of(const Table& table) {
  const auto count = static_cast<int64_t>(table.indices.size());
  std::vector<int32_t> lists(static_cast<size_t>(kernels::row_list_elements(table.rows, count)));
  kernels::list_updates(DType::i32, table.indices.data(), count, table.rows, lists.data());
  return lists;
}
std::vector<float> stored(const Table& table) {
  std::vector<float> result(static_cast<size_t>(table.rows * table.width));
  kernels::scatter_add_rows(DType::f32, result.data(), table.rows, table.width, DType::i32,
                            table.indices.data(), static_cast<int64_t>(table.indices.size()),
                            updates_of(table).data(), pool());
  return result;
}

TEST(RowSums, ReadInPiecesAreTheStoredTable) {
  for (const Table& table : tables) {
    const std::vector<float> updates = updates_of(table), wanted = stored(table);
    const std::vector<int32_t> lists = lists_of(table);
    for (const int64_t piece : {int64_t{1}, int64_t{5}, table.rows * table.width}) {
      std::vector<float> got(wanted.size(), -1);
      for (int64_t at = 0; at < ssize(got); at += piece) {
        kernels::read_row_sums(lists.data(), table.rows, updates.data(), table.width, at,
                               std::min(piece, ssize(got) - at), got.data() + at);
      }
      EXPECT_EQ(got, wanted) << table.rows << " rows in pieces of " << piece;
    }
  }
}

TEST(RowSums, KnowTheRowsThatHaveUpdates) {
  for (const Table& table : tables) {
    const std::vector<int32_t> lists = lists_of(table);
    for (int64_t row = 0; row < table.rows; ++row) {
      const bool named =
          std::find(table.indices.begin(), table.indices.end(), row) != table.indices.end();
      EXPECT_EQ(kernels::has_updates(lists.data(), row), named) << row;
      int64_t next = row;
      while (next < table.rows && !kernels::has_updates(lists.data(), next)) ++next;
      EXPECT_EQ(kernels::next_updated_row(lists.data(), row, table.rows), next) << row;
      EXPECT_EQ(kernels::next_updated_row(lists.data(), row, row + 1), std::min(next, row + 1));
    }
  }
}

TEST(RowSums, AreAnInputOfElementwiseProgramsAndReductions) {
  for (const Table& table : tables) {
    const std::vector<float> updates = updates_of(table), sums = stored(table);
    const std::vector<int32_t> lists = lists_of(table);
    const std::vector<float> values = converted<float>(test_values(ssize(sums), 9));
    kernels::TileProgramBuilder builder({table.rows, table.width});
    const auto value = builder.input(DType::f32), gradient = builder.row_sums();
    builder.output(builder.op(kernels::TileOp::subtract, {value, gradient}), DType::f32);
    const kernels::TileProgram program = builder.build();
    const void* inputs[] = {values.data(), lists.data(), updates.data()};
    std::vector<float> got(sums.size());
    void* outputs[] = {got.data()};
    program.run(inputs, outputs, pool());
    for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], values[i] - sums[i]) << i;

    const std::vector<int64_t> dims{table.rows, table.width};
    const kernels::Reduction reduction(kernels::ReduceKind::sum, DType::f32, dims,
                                       std::vector<int64_t>{0, 1});
    std::vector<std::byte> scratch(reduction.scratch_bytes() + 64);
    float total = 0, wanted = 0;
    reduction.run(program, inputs, &total, scratch.data(), pool());
    reduction.run(got.data(), &wanted, scratch.data(), pool());
    EXPECT_EQ(total, wanted);
  }
}

}  // namespace
}  // namespace systolic
