// Normalized rows against double.
#include "backends/cpu/kernels/reduce/normalize_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"

namespace systolic {
namespace {

using kernels::normalize_rows_f32;
using kernels::NormalizeRowsOperands;
using kernels::NormalizeRowsOptions;

constexpr double epsilon = std::numeric_limits<float>::epsilon();
constexpr int64_t rows = 5;
constexpr float largest = 8;  // of x

std::vector<float> uniform(int64_t count, float low, float high) {
  return uniform_floats(count, low, high, 7);
}

NormalizeRowsOptions options_of(int64_t columns) {
  const float factor = 1 / static_cast<float>(columns);
  return {.columns = columns, .mean_factor = factor, .variance_factor = factor, .epsilon = 0.5F};
}

struct Wanted {
  std::vector<double> centered, inverse, normalized, y;
};
Wanted wanted(const std::vector<float>& x, const std::vector<float>& scale,
              const std::vector<float>& offset) {
  Wanted result;
  const auto columns = static_cast<int64_t>(scale.size());
  for (int64_t i = 0; i < rows; ++i) {
    const float* row = x.data() + i * columns;
    double mean = 0, squares = 0;
    for (int64_t j = 0; j < columns; ++j) mean += row[j] / static_cast<double>(columns);
    for (int64_t j = 0; j < columns; ++j) squares += (row[j] - mean) * (row[j] - mean);
    result.inverse.push_back(1 / std::sqrt(squares / static_cast<double>(columns) + 0.5));
    for (size_t j = 0; j < scale.size(); ++j) {
      result.centered.push_back(row[j] - mean);
      result.normalized.push_back(result.centered.back() * result.inverse.back());
      result.y.push_back(result.normalized.back() * scale[j] + offset[j]);
    }
  }
  return result;
}

// What a sum of so many terms is off, of the sum of their magnitudes, with the roundings of the
// factor and the product after it.
double bound(int64_t columns) { return ((static_cast<double>(columns) / 4 + 4) / 2 + 2) * epsilon; }

void expect_near(const std::vector<float>& got, const std::vector<double>& wanted, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], wanted[i], tolerance) << what << " at " << i;
  }
}

// Whole vectors and parts of one, the least and the most.
const int64_t all_columns[] = {16, 17, 31, 33, 64, 100, 768, 4096};

// A mean is off by the bound of 8 at most, and the difference rounds once more; of a variance of at
// least 16, to which every difference adds twice what it is off times itself, the inverse is off by
// half of that relatively. Normalized numbers are below 3, scales and offsets at most 2.
TEST(NormalizeRows, GivesDoublesResults) {
  for (const int64_t columns : all_columns) {
    const std::vector<float> x = uniform(rows * columns, -largest, largest);
    const std::vector<float> scale = uniform(columns, 0.5F, 2), offset = uniform(columns, -2, 2);
    std::vector<float> centered(x.size()), inverse(rows), normalized(x.size()), y(x.size());
    normalize_rows_f32(options_of(columns), rows,
                       {.x = x.data(),
                        .scale = scale.data(),
                        .offset = offset.data(),
                        .centered = centered.data(),
                        .inverse = inverse.data(),
                        .normalized = normalized.data(),
                        .y = y.data()});
    const Wanted expected = wanted(x, scale, offset);
    const std::string what = std::to_string(columns) + " columns";
    const double off = largest * (bound(columns) + epsilon);
    const double relative = bound(columns) + off;
    expect_near(centered, expected.centered, off, "centered, " + what);
    expect_near(inverse, expected.inverse, relative, "inverse, " + what);
    expect_near(normalized, expected.normalized, off + 3 * relative, "normalized, " + what);
    expect_near(y, expected.y, 2 * (off + 3 * relative) + 8 * epsilon, "y, " + what);
  }
}

// What is not asked for changes nothing of the rest, nor does a result over x.
TEST(NormalizeRows, GivesTheSameBitsWhateverIsStored) {
  for (const int64_t columns : {33, 768}) {
    const std::vector<float> x = uniform(rows * columns, -largest, largest);
    const std::vector<float> scale = uniform(columns, 0.5F, 2), offset = uniform(columns, -2, 2);
    const auto run = [&](NormalizeRowsOperands operands) {
      normalize_rows_f32(options_of(columns), rows, operands);
    };
    std::vector<float> centered(x.size()), inverse(rows), y(x.size()), plain(x.size());
    run({.x = x.data(),
         .scale = scale.data(),
         .offset = offset.data(),
         .centered = centered.data(),
         .inverse = inverse.data(),
         .y = y.data()});

    std::vector<float> over = x;
    run({.x = over.data(), .scale = scale.data(), .offset = offset.data(), .y = over.data()});
    EXPECT_EQ(over, y);

    over = x;
    std::vector<float> again(rows);
    run({.x = over.data(), .centered = over.data(), .inverse = again.data()});
    EXPECT_EQ(over, centered);
    EXPECT_EQ(again, inverse);

    run({.x = x.data(), .y = plain.data()});
    over = x;
    run({.x = over.data(), .normalized = over.data()});
    EXPECT_EQ(over, plain);
    for (size_t i = 0; i < x.size(); ++i) {
      ASSERT_EQ(plain[i], centered[i] * inverse[i / static_cast<size_t>(columns)]) << i;
    }
  }
}

// A NaN or an infinity makes its own row NaN and no other one; of a constant row nothing is left.
TEST(NormalizeRows, KeepsRowsApart) {
  constexpr int64_t columns = 37;
  for (const float odd : {NAN, std::numeric_limits<float>::infinity()}) {
    std::vector<float> x(rows * columns, 3), y(x.size());
    x[2 * columns + 5] = odd;
    normalize_rows_f32(options_of(columns), rows, {.x = x.data(), .y = y.data()});
    for (int64_t i = 0; i < rows * columns; ++i) {
      const float value = y[static_cast<size_t>(i)];
      if (i / columns == 2) {
        EXPECT_TRUE(std::isnan(value)) << i;
      } else {
        EXPECT_NEAR(value, 0, 3 * bound(columns) / std::sqrt(0.5)) << i;
      }
    }
  }
}

}  // namespace
}  // namespace systolic
