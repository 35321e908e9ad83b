// The first few of sorted rows, against sorting them.
#include "backends/cpu/kernels/movement/top_k.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"

namespace systolic {
namespace {

using kernels::SortOrder;

template <class T>
void expect_top(std::vector<T> keys, int64_t rows, int64_t columns, int64_t count,
                SortOrder order) {
  std::vector<int32_t> wanted(static_cast<size_t>(rows * columns)), got(wanted.size(), -1);
  AlignedBytes scratch(kernels::sort_scratch_bytes(dtype_of<T>, rows, columns));
  kernels::sort_rows(dtype_of<T>, keys.data(), order, rows, columns, nullptr, wanted.data(),
                     scratch.data(), pool());
  kernels::top_rows(dtype_of<T>, keys.data(), order, rows, columns, count, got.data(), pool());
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t j = 0; j < columns; ++j) {
      const auto i = static_cast<size_t>(row * columns + j);
      ASSERT_EQ(got[i], j < count ? wanted[i] : -1) << row << " " << j << " of " << columns;
    }
  }
}

template <class T>
void expect_all() {
  for (int64_t columns : {64, 300, 5000}) {
    for (int64_t count : {1, 7, 8}) {
      for (const SortOrder order : {SortOrder{}, SortOrder{true, false}, SortOrder{true, true}}) {
        // Few different ones among them: the first of equal keys counts.
        expect_top(test_data<T>(9 * columns, 4), 9, columns, count, order);
      }
    }
  }
}

TEST(TopK, IsTheFirstOfTheSorted) {
  expect_all<float>();
  expect_all<bfloat16>();
  expect_all<int32_t>();
  expect_all<uint8_t>();
}

// Rising, falling and equal keys, zeros of both signs, infinities and NaN.
TEST(TopK, OfOddRows) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> rising(400), falling(400), equal(400, 2.0f), odd(400, 0.0f);
  for (size_t i = 0; i < 400; ++i) {
    rising[i] = static_cast<float>(i);
    falling[i] = -static_cast<float>(i);
    if (i % 3 == 0) odd[i] = -0.0f;
    if (i % 50 == 1) odd[i] = NAN;
    if (i % 70 == 2) odd[i] = i % 4 == 0 ? infinity : -infinity;
  }
  for (const SortOrder order : {SortOrder{}, SortOrder{true, false}, SortOrder{true, true}}) {
    for (const auto& row : {rising, falling, equal, odd}) expect_top(row, 1, 400, 20, order);
  }
}

TEST(TopK, OnlyFewOfManyNarrowKeys) {
  EXPECT_TRUE(kernels::selects_top(DType::f32, 1000, 10));
  EXPECT_FALSE(kernels::selects_top(DType::f32, 1000, 500));
  EXPECT_FALSE(kernels::selects_top(DType::f64, 1000, 10));
  EXPECT_FALSE(kernels::selects_top(DType::f32, 10, 1));
}

}  // namespace
}  // namespace systolic
