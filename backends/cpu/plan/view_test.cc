#include "backends/cpu/plan/view.h"

#include <gtest/gtest.h>

namespace systolic {
namespace {

using cpu::View;

TEST(View, FallsIntoPiecesOfItsPlace) {
  struct Row {
    const char* what;
    std::vector<int64_t> dims, strides;
    int64_t offset, place_elements, pieces;
  };
  const Row rows[] = {
      {"dense", {4, 6, 8}, {48, 8, 1}, 0, 192, 192},
      {"a number of each row", {4, 6, 8}, {6, 1, 0}, 0, 24, 24},
      {"a number of each matrix", {4, 6, 8}, {1, 0, 0}, 0, 4, 4},
      {"one row for all", {4, 6, 8}, {0, 0, 1}, 0, 8, 1},
      {"one number", {4, 6, 8}, {0, 0, 0}, 0, 1, 1},
      {"a column for each matrix", {4, 6, 8}, {8, 0, 1}, 0, 32, 4},
      {"transposed matrices", {4, 6, 8}, {48, 1, 6}, 0, 192, 4},
      {"transposed at large", {4, 6, 8}, {1, 4, 24}, 0, 192, 1},
      {"the first half of each matrix", {4, 3, 8}, {48, 8, 1}, 0, 192, 4},
      {"the second half of each matrix", {4, 3, 8}, {48, 8, 1}, 24, 192, 1},
      {"the first half of all", {2, 6, 8}, {48, 8, 1}, 0, 192, 1},
      {"backwards", {4, 6, 8}, {48, 8, -1}, 0, 192, 1},
      {"axes of one element", {4, 1, 8}, {8, 77, 1}, 0, 32, 32},
  };
  for (const Row& row : rows) {
    View view{.place = 0, .type = {DType::f32, Shape(row.dims)}, .offset = row.offset};
    view.strides = row.strides;
    EXPECT_EQ(cpu::view_pieces(view, row.place_elements), row.pieces) << row.what;
  }
}

}  // namespace
}  // namespace systolic
