// Softmax's rows against double.
#include "backends/cpu/kernels/reduce/softmax_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"

namespace systolic {
namespace {

using kernels::softmax_rows_f32;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr double epsilon = std::numeric_limits<float>::epsilon();

// The difference of two scores is rounded, by half an epsilon of at most 16, and its exponential by
// 2; a sum of n terms in at least 8 lanes by n / 16 + 2 halves of one at most, and its reciprocal
// and the product by a half each.
double bound(int64_t columns) {
  return (8 + 2 + static_cast<double>(columns) / 16 + 2 + 1) * epsilon;
}

std::vector<float> scores(int64_t count) { return uniform_floats(count, -8, 8, 7); }

// Whole vectors and parts of one, the least and the most; more rows than are worked on together,
// and fewer.
TEST(SoftmaxRows, GivesDoublesResults) {
  constexpr int64_t rows = 19;
  for (const int64_t columns : {16, 17, 23, 31, 32, 33, 47, 64, 197, 2048}) {
    const std::vector<float> x = scores(rows * columns);
    std::vector<float> e(x.size()), sums(rows), shares = x;
    softmax_rows_f32(x.data(), rows, columns, e.data(), sums.data());
    softmax_rows_f32(shares.data(), rows, columns, shares.data(), nullptr);  // over the scores
    for (int64_t i = 0; i < rows; ++i) {
      const auto at = [&](int64_t j) { return static_cast<size_t>(i * columns + j); };
      const double most = *std::max_element(x.begin() + i * columns, x.begin() + (i + 1) * columns);
      double sum = 0;
      for (int64_t j = 0; j < columns; ++j) sum += std::exp(x[at(j)] - most);
      EXPECT_NEAR(sums[static_cast<size_t>(i)], sum, bound(columns) * sum) << columns;
      for (int64_t j = 0; j < columns; ++j) {
        const double wanted = std::exp(x[at(j)] - most);
        EXPECT_NEAR(e[at(j)], wanted, bound(0) * wanted) << columns << " at " << j;
        EXPECT_NEAR(shares[at(j)], wanted / sum, bound(columns) * wanted / sum)
            << columns << " at " << j;
      }
    }
  }
}

// A row of NaN or infinities changes none of those that are worked on together with it.
TEST(SoftmaxRows, KeepsRowsApart) {
  constexpr int64_t rows = 19, columns = 37;
  const std::vector<float> clean = scores(rows * columns);
  std::vector<float> wanted(clean.size());
  softmax_rows_f32(clean.data(), rows, columns, wanted.data(), nullptr);
  for (const float odd : {NAN, infinity}) {
    for (int64_t place = 0; place < rows; ++place) {
      std::vector<float> x = clean;
      x[static_cast<size_t>(place * columns + 5)] = odd;
      softmax_rows_f32(x.data(), rows, columns, x.data(), nullptr);
      for (int64_t i = 0; i < rows * columns; ++i) {
        const float share = x[static_cast<size_t>(i)];
        if (i / columns == place) {
          EXPECT_TRUE(std::isnan(share)) << i;
        } else {
          EXPECT_EQ(share, wanted[static_cast<size_t>(i)]) << i;
        }
      }
    }
  }
}

// Wherever in the row it stands.
TEST(SoftmaxRows, KeepsNanAndInfinity) {
  for (const int64_t columns : {16, 37}) {
    for (int64_t place = 0; place < columns; ++place) {
      const auto row = [&](float rest, float one) {
        std::vector<float> values(static_cast<size_t>(columns), rest);
        values[static_cast<size_t>(place)] = one;
        softmax_rows_f32(values.data(), 1, columns, values.data(), nullptr);
        return values;
      };
      for (float share : row(1, NAN)) EXPECT_TRUE(std::isnan(share)) << place;
      for (float share : row(infinity, NAN)) EXPECT_TRUE(std::isnan(share)) << place;
      for (float share : row(1, infinity)) EXPECT_TRUE(std::isnan(share)) << place;
      const std::vector<float> masked = row(-infinity, 3), largest = row(-100, 100);
      for (int64_t j = 0; j < columns; ++j) {
        EXPECT_EQ(masked[static_cast<size_t>(j)], j == place ? 1.0F : 0.0F) << place;
        EXPECT_EQ(largest[static_cast<size_t>(j)], j == place ? 1.0F : 0.0F) << place;
      }
    }
    std::vector<float> none(static_cast<size_t>(columns), -infinity);
    softmax_rows_f32(none.data(), 1, columns, none.data(), nullptr);
    for (float share : none) EXPECT_TRUE(std::isnan(share));
  }
}

// Without the division: as the exponentials of differences to the maximum, and a sum of NaN.
TEST(SoftmaxRows, KeepsNanAndInfinityInExponentials) {
  constexpr int64_t columns = 37;
  for (int64_t place = 0; place < columns; ++place) {
    for (const bool is_nan : {true, false}) {
      std::vector<float> values(columns, 1), sums(1);
      values[static_cast<size_t>(place)] = is_nan ? NAN : infinity;
      softmax_rows_f32(values.data(), 1, columns, values.data(), sums.data());
      EXPECT_TRUE(std::isnan(sums[0]));
      for (int64_t j = 0; j < columns; ++j) {
        const float value = values[static_cast<size_t>(j)];
        EXPECT_TRUE(is_nan || j == place ? std::isnan(value) : value == 0) << place << " " << j;
      }
    }
  }
}

}  // namespace
}  // namespace systolic
