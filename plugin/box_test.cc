#include "plugin/box.h"

#include <gtest/gtest.h>

#include <numeric>

namespace systolic {
namespace {

Literal counted(Shape shape) {
  Literal literal(DType::i32, shape);
  std::iota(literal.mutable_data<int32_t>().begin(), literal.mutable_data<int32_t>().end(), 0);
  return literal;
}

std::vector<int32_t> values(const Literal& literal) {
  return {literal.data<int32_t>().begin(), literal.data<int32_t>().end()};
}

struct PartRow {
  Shape whole;
  stablehlo::Parts parts;
  std::vector<std::vector<int32_t>> held;  // [core]
};
const PartRow part_rows[] = {
    {{4}, {{2}, {{0}, {2}}}, {{0, 1}, {2, 3}}},
    {{2, 4}, {{2, 2}, {{0, 0}, {0, 2}}}, {{0, 1, 4, 5}, {2, 3, 6, 7}}},
    {{4, 2}, {{1, 2}, {{3, 0}, {1, 0}, {0, 0}, {2, 0}}}, {{6, 7}, {2, 3}, {0, 1}, {4, 5}}},
    {{2, 2, 2},
     {{1, 2, 1}, {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}, {1, 0, 1}}},
     {{0, 2}, {1, 3}, {4, 6}, {5, 7}}},
    {{3}, {{3}, {{0}, {0}}}, {{0, 1, 2}, {0, 1, 2}}},
    {{0, 4}, {{0, 2}, {{0, 0}, {0, 2}}}, {{}, {}}},
};

TEST(Box, CutsPartsAndPutsThemBack) {
  for (const PartRow& row : part_rows) {
    const Literal whole = counted(row.whole);
    Literal again = Literal::zeros(DType::i32, row.whole);
    for (size_t core = 0; core < row.held.size(); ++core) {
      const Literal part = plugin::part_of(whole, row.parts, core);
      EXPECT_EQ(values(part), row.held[core]);
      plugin::put_part(again, part, row.parts, core);
    }
    EXPECT_EQ(again, whole);
  }
}

// Addend 0 is all of the array, the others are zero; whatever devices hold is added up again.
TEST(Box, AddsWhatUnreducedArraysAreMadeOf) {
  const stablehlo::Parts parts{{2}, {{0}, {2}, {0}, {2}}, {0, 0, 1, 1}};
  const Literal whole = counted({4});
  const std::vector<std::vector<int32_t>> held = {{0, 1}, {2, 3}, {0, 0}, {0, 0}};
  Literal again = Literal::zeros(DType::i32, {4});
  for (size_t core = 0; core < held.size(); ++core) {
    const Literal part = plugin::part_of(whole, parts, core);
    EXPECT_EQ(values(part), held[core]);
    plugin::put_part(again, part, parts, core);
  }
  EXPECT_EQ(again, whole);
  for (DType dtype :
       {DType::pred, DType::i8, DType::u64, DType::bf16, DType::f8e5m2, DType::f64, DType::c64}) {
    Literal sum = Literal::zeros(dtype, {4});
    for (size_t core = 0; core < held.size(); ++core) {
      plugin::put_part(sum, Literal::filled(dtype, {2}, 1), parts, core);
    }
    EXPECT_EQ(sum, Literal::filled(dtype, {4}, dtype == DType::pred ? 1 : 2)) << to_string(dtype);
  }
}

TEST(Box, ReadsStridesAndWritesOtherOrders) {
  const Literal columns = counted({3, 2});
  const auto* raw = columns.raw();
  // The transpose, every other row, one row repeated, and rows from the last to the first.
  EXPECT_EQ(values(plugin::gathered(DType::i32, {2, 3}, raw, {4, 8})),
            (std::vector<int32_t>{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(values(plugin::gathered(DType::i32, {2, 2}, raw, {16, 4})),
            (std::vector<int32_t>{0, 1, 4, 5}));
  EXPECT_EQ(values(plugin::gathered(DType::i32, {2, 2}, raw, {0, 4})),
            (std::vector<int32_t>{0, 1, 0, 1}));
  EXPECT_EQ(values(plugin::gathered(DType::i32, {3, 2}, raw + 16, {-8, 4})),
            (std::vector<int32_t>{4, 5, 2, 3, 0, 1}));
  std::vector<int32_t> to(6);
  plugin::spread(columns, {0, 1}, reinterpret_cast<std::byte*>(to.data()));
  EXPECT_EQ(to, (std::vector<int32_t>{0, 2, 4, 1, 3, 5}));
  plugin::spread(columns, {1, 0}, reinterpret_cast<std::byte*>(to.data()));
  EXPECT_EQ(to, values(columns));
}

}  // namespace
}  // namespace systolic
