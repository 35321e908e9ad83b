// Products of few rows: which are computed so, and where nothing may be written. That they agree
// with double, matmul_test.cc checks with all others.
#include <gtest/gtest.h>

#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "backends/cpu/kernels/matmul/matmul_implementation.h"
#include "backends/cpu/kernels/matmul/matmul_test_cases.h"

namespace systolic {
namespace {

using namespace matmul_test;
using kernels::Matmul;

TEST(FewRowsMatmul, LeavesGapsAlone) {
  constexpr int64_t m = 3, n = 1000, k = 600, gap = 5;
  const MatrixLayout b_rows{0, n + gap, 1}, b_columns{0, 1, k + gap};
  for (const MatrixLayout& b_layout : {b_rows, b_columns}) {
    const MatmulOptions o{
        .m = m, .n = n, .k = k, .a = {0, k + gap, 1}, .b = b_layout, .c = {0, n + gap, 1}};
    ASSERT_NE(kernels::make_few_rows_matmul(o, 2), nullptr);
    const auto a = test_data<float>(m * (k + gap), 1);
    const auto b = test_data<float>((n + gap) * (k + gap), 2);
    std::vector<float> c(m * (n + gap), 7.0f);
    const auto wanted = product(o, widened(a), widened(b), {}, widened(c));
    Matmul matmul(o, 2);
    AlignedBytes scratch(matmul.scratch_bytes());
    ThreadPool pool(2);
    matmul.run({.a = a.data(), .b = b.data(), .c = c.data()}, scratch.data(), pool);
    EXPECT_LE(relative_rms_error(widened(c), wanted), 1e-6);
    for (int64_t row = 0; row < m; ++row) {
      for (int64_t j = n; j < n + gap; ++j) EXPECT_EQ(c[row * (n + gap) + j], 7.0f);
    }
  }
}

// Rows of b in parts: with what follows a product, by any number of threads with the same bits.
TEST(FewRowsMatmul, InPartsOfRows) {
  for (const int64_t k : {256, 777, 1025, 3072}) {
    for (const int64_t m : {1, 4}) {
      const int64_t n = 1030 + k % 7 + (k < 1000 ? 1500 : 0);
      const auto a = test_data<float>(m * k, 1), b = test_data<float>(k * n, 2);
      const auto bias = test_data<float>(n, 3), before = test_data<float>(m * n, 4);
      for (const bool ends : {false, true}) {
        const MatmulOptions o{.m = m,
                              .n = n,
                              .k = k,
                              .a = kernels::row_major(m, k),
                              .b = kernels::row_major(k, n),
                              .c = kernels::row_major(m, n),
                              .bias = ends,
                              .relu = ends,
                              .accumulate = ends};
        const auto made = kernels::make_few_rows_matmul(o, 2);
        ASSERT_NE(made, nullptr) << k;
        const auto run = [&](int threads) {
          std::vector<float> c = before;
          Matmul matmul(o, threads);
          AlignedBytes scratch(matmul.scratch_bytes());
          ThreadPool pool(threads);
          matmul.run({.a = a.data(), .b = b.data(), .c = c.data(), .bias = bias.data()},
                     scratch.data(), pool);
          return c;
        };
        const std::vector<float> one = run(1);
        EXPECT_EQ(one, run(3)) << k;
        EXPECT_LE(relative_rms_error(widened(one), product(o, widened(a), widened(b), widened(bias),
                                                           widened(before))),
                  1e-6)
            << k << ' ' << m;
      }
    }
  }
}

// Which it takes; of the others the sums are as good and as fast elsewhere.
TEST(FewRowsMatmul, IsForLargeMatrices) {
  const auto takes = [](const Case& one) {
    return kernels::make_few_rows_matmul(options_of(one), 2) != nullptr;
  };
  for (const Case& one : {Case{1, 1, 768, 3072}, Case{1, 4, 3072, 768}, Case{1, 1, 50'257, 768},
                          Case{1, 4, 300, 64, {.transpose_b = true}}}) {
    EXPECT_TRUE(takes(one)) << to_string(one);
  }
  for (const Case& one : {Case{1, 9, 3072, 768}, Case{1, 1, 512, 512}, Case{1, 1, 100, 9000},
                          Case{1, 1, 50'000, 32}, Case{1, 1, 300, 20'000}, Case{2, 1, 768, 3072},
                          Case{1, 4, 300, 63, {.transpose_b = true}}}) {
    EXPECT_FALSE(takes(one)) << to_string(one);
  }
}

// Rows and columns of b lie one element apart, and those of c three: only dot products do.
TEST(FewRowsMatmul, WindowsAsColumns) {
  const MatmulOptions o{
      .m = 2, .n = 525, .k = 252, .a = {0, 252, 1}, .b = {0, 1, 1}, .c = {0, 1, 3}};
  const auto a = test_data<float>(2 * 252, 1), b = test_data<float>(525 + 252, 2);
  std::vector<float> c(3 * 525 + 2, 7.0f);
  const auto wanted = product(o, widened(a), widened(b), {}, widened(c));
  Matmul matmul(o, 1);
  AlignedBytes scratch(matmul.scratch_bytes());
  ThreadPool pool(1);
  matmul.run({.a = a.data(), .b = b.data(), .c = c.data()}, scratch.data(), pool);
  EXPECT_LE(relative_rms_error(widened(c), wanted), 1e-6);
}

}  // namespace
}  // namespace systolic
