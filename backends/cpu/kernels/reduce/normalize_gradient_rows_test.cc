// Gradients of normalized rows against double.
#include "backends/cpu/kernels/reduce/normalize_gradient_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"

namespace systolic {
namespace {

using kernels::normalize_gradient_rows_f32;
using kernels::NormalizeGradientOperands;
using kernels::NormalizeGradientOptions;

constexpr double epsilon = std::numeric_limits<float>::epsilon();
constexpr int64_t rows = 5;

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

struct Inputs {
  explicit Inputs(int64_t n)
      : columns(n),
        gradient(uniform_floats(rows * n, -1, 1, 1)),
        scale(uniform_floats(n, 0.5F, 2, 2)),
        centered(uniform_floats(rows * n, -2, 2, 3)),
        inverse(uniform_floats(rows, 0.5F, 1, 4)),
        added(uniform_floats(rows * n, -1, 1, 5)) {}
  NormalizeGradientOptions options() const {
    const float factor = 1 / static_cast<float>(columns);
    return {.columns = columns, .mean_factor = factor, .variance_factor = -factor};
  }
  NormalizeGradientOperands operands() const {
    return {.gradient = gradient.data(),
            .scale = scale.data(),
            .centered = centered.data(),
            .inverse = inverse.data()};
  }

  int64_t columns;
  Floats gradient, scale, centered, inverse, added;
};

struct Wanted {
  Doubles dx, scale_sums, offset_sums;
};
Wanted wanted(const Inputs& in, bool scales, bool adds) {
  const auto columns = static_cast<size_t>(in.columns);
  Wanted result{{}, Doubles(columns), Doubles(columns)};
  for (size_t i = 0; i < rows; ++i) {
    const double inverse = in.inverse[i];
    const auto gradient = [&](size_t j) { return double{in.gradient[i * columns + j]}; };
    const auto centered = [&](size_t j) { return double{in.centered[i * columns + j]}; };
    const auto scaled = [&](size_t j) { return gradient(j) * (scales ? in.scale[j] : 1.0); };
    double products = 0, mean = 0;
    for (size_t j = 0; j < columns; ++j) products += scaled(j) * centered(j);
    const double factor = double{in.options().variance_factor} * std::pow(inverse, 3) * products;
    const auto flow = [&](size_t j) { return scaled(j) * inverse + factor * centered(j); };
    for (size_t j = 0; j < columns; ++j) mean += flow(j) * in.options().mean_factor;
    for (size_t j = 0; j < columns; ++j) {
      result.dx.push_back(flow(j) - mean + (adds ? in.added[i * columns + j] : 0));
      result.scale_sums[j] += gradient(j) * centered(j) * inverse;
      result.offset_sums[j] += gradient(j);
    }
  }
  return result;
}

void expect_near(const Floats& got, const Doubles& wanted, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], wanted[i], tolerance) << what << " at " << i;
  }
}

// Whole vectors and parts of one, the least and the most.
const int64_t all_columns[] = {16, 17, 31, 33, 64, 100, 768, 4096};

// Scaled gradients and centered numbers are at most 2, their products 4, inverses 1. A mean of n
// terms is off by the header's bound of the largest, with two roundings for the factor and the
// product after it; the mean of products is multiplied by 2 in what flows back, and again in the
// mean of that. Six more roundings are of numbers up to 10.
TEST(NormalizeGradientRows, GivesDoublesResults) {
  for (const int64_t columns : all_columns) {
    for (const auto& [scales, adds] : {std::pair(true, false), {false, false}, {true, true}}) {
      const Inputs in(columns);
      const auto size = static_cast<size_t>(columns);
      Floats dx(in.gradient.size()), scale_sums(size, 7), offset_sums(size, 7);
      NormalizeGradientOperands operands = in.operands();
      if (!scales) operands.scale = nullptr;
      if (adds) operands.added = in.added.data();
      operands.dx = dx.data();
      operands.scale_sums = scale_sums.data();
      operands.offset_sums = offset_sums.data();
      normalize_gradient_rows_f32(in.options(), rows, operands);
      const Wanted expected = wanted(in, scales, adds);
      const std::string what = std::to_string(columns) + " columns";
      const double of_mean = ((static_cast<double>(columns) / 4 + 4) / 2 + 2) * epsilon;
      const double tolerance = of_mean * (2 * 4 + 2 * 4 + 2 + 2 * 4 * 2) + 6 * 10 * epsilon;
      expect_near(dx, expected.dx, tolerance, "dx, " + what);
      expect_near(scale_sums, expected.scale_sums, rows * 2 * rows * epsilon, "scale, " + what);
      expect_near(offset_sums, expected.offset_sums, rows * rows * epsilon, "offset, " + what);
    }
  }
}

// What is not asked for changes nothing of the rest, nor does a result over the gradient.
TEST(NormalizeGradientRows, GivesTheSameBitsWhateverIsStored) {
  for (const int64_t columns : {33, 768}) {
    const Inputs in(columns);
    const auto size = static_cast<size_t>(columns);
    Floats dx(in.gradient.size()), scale_sums(size), offset_sums(size), again(size);
    NormalizeGradientOperands operands = in.operands();
    operands.dx = dx.data();
    operands.scale_sums = scale_sums.data();
    operands.offset_sums = offset_sums.data();
    normalize_gradient_rows_f32(in.options(), rows, operands);

    Floats over = in.gradient;
    operands = in.operands();
    operands.gradient = operands.dx = over.data();
    operands.offset_sums = again.data();
    normalize_gradient_rows_f32(in.options(), rows, operands);
    EXPECT_EQ(over, dx);
    EXPECT_EQ(again, offset_sums);

    over = in.gradient;
    operands.offset_sums = nullptr;
    operands.scale_sums = again.data();
    normalize_gradient_rows_f32(in.options(), rows, operands);
    EXPECT_EQ(over, dx);
    EXPECT_EQ(again, scale_sums);
  }
}

// A NaN or an infinity is seen in its own row and in no other one.
TEST(NormalizeGradientRows, KeepsRowsApart) {
  constexpr int64_t columns = 37;
  for (const float odd : {NAN, std::numeric_limits<float>::infinity()}) {
    Inputs in(columns);
    in.gradient[2 * columns + 5] = odd;
    Floats dx(in.gradient.size());
    NormalizeGradientOperands operands = in.operands();
    operands.dx = dx.data();
    normalize_gradient_rows_f32(in.options(), rows, operands);
    for (int64_t i = 0; i < rows * columns; ++i) {
      EXPECT_EQ(std::isfinite(dx[static_cast<size_t>(i)]), i / columns != 2) << i;
    }
  }
}

}  // namespace
}  // namespace systolic
