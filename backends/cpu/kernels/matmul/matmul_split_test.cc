// Products of f32 in three parts of bf16 each, where there is a matrix unit.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "backends/cpu/kernels/amx/amx.h"
#include "backends/cpu/kernels/kernel_test_data.h"
#include "backends/cpu/kernels/matmul/matmul.h"
#include "backends/cpu/kernels/matmul/matmul_implementation.h"
#include "backends/cpu/kernels/matmul/matmul_test_cases.h"

namespace systolic {
namespace {

using namespace matmul_test;
using kernels::Matmul;
using kernels::MatmulOptions;

MatmulOptions split_options(const Case& c) {
  MatmulOptions o = options_of(c);
  o.splits = true;
  return o;
}

std::vector<float> result_of(const MatmulOptions& o, const std::vector<float>& a,
                             const std::vector<float>& b, int threads,
                             const std::vector<float>& bias = {}) {
  std::vector<float> c(static_cast<size_t>(o.m * o.n), -1.0f);
  const Matmul matmul(o, threads);
  AlignedBytes scratch(matmul.scratch_bytes());
  ThreadPool pool(threads);
  matmul.run({.a = a.data(), .b = b.data(), .c = c.data(), .bias = bias.data()}, scratch.data(),
             pool);
  return c;
}

const std::vector<Case>& split_cases() {
  static const std::vector<Case> table = {
      {1, 512, 256, 256},
      {1, 197, 300, 288, {.bias = true, .relu = true}},
      {1, 333, 97, 777, {.transpose_b = true, .bias = true}},
      {1, 97, 700, 300, {.transpose_a = true}},
      {1, 300, 200, 1601, {.transpose_a = true, .transpose_b = true, .relu = true}},
      {1, 1000, 96, 3072, {.bias = true}},  // several groups of rows, and k in pieces
      {1, 1700, 130, 2000},                 // and with 7 threads slices of rows and of columns
  };
  return table;
}

// The bound is that of f32 tests. What is left out of a product is 2^-23 of it at most, and the
// sums of the small parts are rounded at 2^-8 of the large ones' size, so it is kept with room to
// spare.
TEST(SplitMatmul, AgreesWithDouble) {
  for (const Case& c : split_cases()) {
    const MatmulOptions o = split_options(c);
    const auto a = test_data<float>(o.m * o.k, 1), b = test_data<float>(o.k * o.n, 2),
               bias = test_data<float>(o.n, 3);
    const auto wanted = product(o, widened(a), widened(b), widened(bias),
                                std::vector<double>(static_cast<size_t>(o.m * o.n)));
    for (int threads : {1, 2, 7}) {
      EXPECT_LE(relative_rms_error(widened(result_of(o, a, b, threads, bias)), wanted), 5e-7)
          << to_string(c) << ", threads " << threads;
    }
  }
}

// Numbers of which each part counts: the product with 1 is the number itself.
TEST(SplitMatmul, KeepsAllBitsOfANumber) {
  const MatmulOptions o = split_options({1, 256, 256, 256});
  std::vector<float> a = test_data<float>(o.m * o.k, 1), unit(static_cast<size_t>(o.k * o.n));
  for (int64_t i = 0; i < o.k; ++i) unit[static_cast<size_t>(i * o.n + i)] = 1;
  a[0] = std::nextafter(1.0f, 2.0f);
  a[1] = -std::nextafter(0x1p126f, 0.0f);
  a[2] = -std::nextafter(0x1p-102f, 0.0f);  // whose last bit is the smallest normal number
  EXPECT_EQ(result_of(o, a, unit, 2), a);
  EXPECT_EQ(result_of(o, unit, a, 2), a);
}

// The result's rows apart, as a transpose that reads the product wants them, and operands with
// gaps.
TEST(SplitMatmul, LeavesGapsAlone) {
  const Case c{1, 200, 130, 300};
  MatmulOptions o = split_options(c);
  o.a = {.row_stride = 310, .column_stride = 1};
  o.b = {.row_stride = 1, .column_stride = 333};
  o.c = {.row_stride = 140, .column_stride = 1};
  const auto a = test_data<float>(o.m * 310, 1), b = test_data<float>(o.n * 333, 2);
  std::vector<float> c_rows(static_cast<size_t>(o.m * 140), -1.0f);
  const Matmul matmul(o, 2);
  AlignedBytes scratch(matmul.scratch_bytes());
  ThreadPool pool(2);
  matmul.run({.a = a.data(), .b = b.data(), .c = c_rows.data()}, scratch.data(), pool);
  auto wanted = product(o, widened(a), widened(b), {}, std::vector<double>(c_rows.size(), -1.0));
  for (int64_t i = 0; i < o.m; ++i) {
    for (int64_t j = o.n; j < 140; ++j) {
      ASSERT_EQ(c_rows[static_cast<size_t>(i * 140 + j)], -1.0f) << i << ' ' << j;
    }
  }
  EXPECT_LE(relative_rms_error(widened(c_rows), wanted), 5e-7);
}

// For numbers that have no parts it is the product in f32, to the bit.
TEST(SplitMatmul, MultipliesWhatHasNoPartsInF32) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const Case& c : {Case{1, 320, 256, 256, {.bias = true, .relu = true}},
                        Case{1, 256, 256, 320, {.transpose_b = true}}}) {
    for (float special : {infinity, -infinity, std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::max(), -0x1p127f}) {
      const MatmulOptions o = split_options(c);
      for (bool left : {true, false}) {
        auto a = test_data<float>(o.m * o.k, 1), b = test_data<float>(o.k * o.n, 2);
        const auto bias = test_data<float>(o.n, 3);
        (left ? a : b).back() = special;
        const auto got = result_of(o, a, b, 2, bias);
        const auto wanted = result_of(options_of(c), a, b, 2, bias);
        for (size_t i = 0; i < got.size(); ++i) {
          ASSERT_TRUE(got[i] == wanted[i] || (std::isnan(got[i]) && std::isnan(wanted[i])))
              << to_string(c) << ' ' << special << ' ' << i << ": " << got[i] << ' ' << wanted[i];
        }
      }
    }
  }
}

TEST(SplitMatmul, IsForLargeSingleProductsOfF32) {
  const auto splits = [](MatmulOptions o) {
    o.splits = true;
    return kernels::amx_splits(o);
  };
  EXPECT_EQ(splits(options_of({1, 512, 256, 256})), kernels::amx::is_available());
  EXPECT_FALSE(kernels::amx_splits(options_of({1, 512, 256, 256})));
  EXPECT_FALSE(splits(options_of({2, 512, 256, 256})));
  EXPECT_FALSE(splits(options_of({1, 64, 512, 512})));
  EXPECT_FALSE(splits(options_of({1, 100, 100, 100})));
  EXPECT_FALSE(splits(options_of({1, 512, 256, 256, {.accumulate = true}})));
  EXPECT_FALSE(splits(options_of({1, 512, 256, 256, {.transpose_c = true}})));
  MatmulOptions bf16 = options_of({1, 512, 256, 256});
  bf16.dtype = bf16.output_dtype = DType::bf16;
  EXPECT_FALSE(splits(bf16));
}

}  // namespace
}  // namespace systolic
