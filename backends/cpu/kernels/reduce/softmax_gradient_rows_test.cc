// Gradients of softmax's rows against double.
#include "backends/cpu/kernels/reduce/softmax_gradient_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "backends/cpu/kernels/reduce/softmax_rows.h"

namespace systolic {
namespace {

using kernels::softmax_gradient_rows_f32;

constexpr double epsilon = std::numeric_limits<float>::epsilon();
constexpr int64_t rows = 11;

using Floats = std::vector<float>;

struct Inputs {
  explicit Inputs(int64_t n)
      : columns(n),
        gradient(uniform_floats(rows * n, -1, 1, 1)),
        exponentials(uniform_floats(rows * n, -8, 8, 2)),
        sums(rows) {
    kernels::softmax_rows_f32(exponentials.data(), rows, n, exponentials.data(), sums.data());
  }
  Floats run() const {
    Floats dx(gradient.size());
    softmax_gradient_rows_f32(rows, columns,
                              {.gradient = gradient.data(),
                               .exponentials = exponentials.data(),
                               .sums = sums.data(),
                               .dx = dx.data()});
    return dx;
  }

  int64_t columns;
  Floats gradient, exponentials, sums;
};

// Whole vectors and parts of one, the least and the most.
const int64_t all_columns[] = {16, 17, 31, 32, 33, 64, 100, 197, 2048};

// Gradients are at most 1 and shares add up to 1. The header's bound of the sum; two times 1.5 ULP
// for shares, in the sum and after it; and a half for each of two roundings of numbers up to 2.
TEST(SoftmaxGradientRows, GivesDoublesResults) {
  for (const int64_t columns : all_columns) {
    const Inputs in(columns);
    const Floats got = in.run();
    const double tolerance = ((static_cast<double>(columns) / 4 + 4) / 2 + 3 + 2) * epsilon;
    for (int64_t i = 0; i < rows; ++i) {
      const auto at = [&](int64_t j) { return static_cast<size_t>(i * columns + j); };
      const auto share = [&](int64_t j) {
        return double{in.exponentials[at(j)]} / in.sums[static_cast<size_t>(i)];
      };
      double sum = 0;
      for (int64_t j = 0; j < columns; ++j) sum += in.gradient[at(j)] * share(j);
      for (int64_t j = 0; j < columns; ++j) {
        ASSERT_NEAR(got[at(j)], (in.gradient[at(j)] - sum) * share(j), tolerance * share(j))
            << columns << " columns, row " << i << " at " << j;
      }
    }
  }
}

// To the bit, since they are multiplied by 1.
TEST(SoftmaxGradientRows, TakesSharesWithoutSums) {
  for (const int64_t columns : all_columns) {
    Inputs in(columns);
    for (size_t i = 0; i < in.exponentials.size(); ++i) {
      in.exponentials[i] *= 1 / in.sums[i / static_cast<size_t>(columns)];
    }
    const std::vector<float> ones(in.sums.size(), 1);
    Floats dx(in.gradient.size());
    softmax_gradient_rows_f32(
        rows, columns,
        {.gradient = in.gradient.data(), .exponentials = in.exponentials.data(), .dx = dx.data()});
    in.sums = ones;
    EXPECT_EQ(dx, in.run()) << columns;
  }
}

TEST(SoftmaxGradientRows, MayTakeTheGradientsPlace) {
  for (const int64_t columns : all_columns) {
    const Inputs in(columns);
    Floats dx = in.gradient;
    softmax_gradient_rows_f32(rows, columns,
                              {.gradient = dx.data(),
                               .exponentials = in.exponentials.data(),
                               .sums = in.sums.data(),
                               .dx = dx.data()});
    EXPECT_EQ(dx, in.run()) << columns;
  }
}

// A NaN or an infinity makes its whole row no numbers, and changes no other.
TEST(SoftmaxGradientRows, KeepsRowsApart) {
  for (const int64_t columns : {17, 64}) {
    const Floats wanted = Inputs(columns).run();
    for (const float odd : {NAN, std::numeric_limits<float>::infinity()}) {
      Inputs in(columns);
      in.gradient[static_cast<size_t>(3 * columns + 5)] = odd;
      const Floats got = in.run();
      for (size_t i = 0; i < got.size(); ++i) {
        if (static_cast<int64_t>(i) / columns == 3) {
          EXPECT_FALSE(std::isfinite(got[i])) << i;
        } else {
          EXPECT_EQ(got[i], wanted[i]) << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace systolic
