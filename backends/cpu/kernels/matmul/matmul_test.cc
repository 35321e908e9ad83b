#include "backends/cpu/kernels/matmul/matmul.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "backends/cpu/kernels/matmul/matmul_implementation.h"
#include "backends/cpu/kernels/matmul/matmul_test_cases.h"

namespace systolic {
namespace {

using namespace matmul_test;
using kernels::Matmul;
using kernels::MatmulOptions;
using kernels::MatrixLayout;

// Runs the case in type T with result type Out and gives the relative rms error against double.
template <class T, class Out>
double error_of(const MatmulOptions& base, int threads) {
  MatmulOptions o = base;
  o.dtype = dtype_of<T>;
  o.output_dtype = dtype_of<Out>;
  const auto a = test_data<T>(o.batch * o.m * o.k, 1);
  const auto b = test_data<T>(o.batch * o.k * o.n, 2);
  const auto bias = test_data<T>(o.n, 3);
  auto c = test_data<Out>(o.batch * o.m * o.n, 4);
  const auto wanted = product(o, widened(a), widened(b), widened(bias), widened(c));
  Matmul matmul(o, threads);
  AlignedBytes scratch(matmul.scratch_bytes());
  ThreadPool pool(threads);
  matmul.run({.a = a.data(), .b = b.data(), .c = c.data(), .bias = bias.data()}, scratch.data(),
             pool);
  return relative_rms_error(widened(c), wanted);
}

const std::vector<Case>& cases() {
  static const std::vector<Case> table = {
      {1, 1, 1, 1},
      {1, 1, 4, 4},
      {1, 5, 7, 3},
      {1, 32, 10, 128, {.bias = true}},
      {1, 32, 128, 784, {.bias = true, .relu = true}},
      {1, 784, 128, 32, {.transpose_a = true}},
      {1, 32, 128, 10, {.transpose_b = true}},
      {1, 64, 48, 16, {.accumulate = true}},
      {1,
       61,
       53,
       47,
       {.transpose_a = true, .transpose_b = true, .bias = true, .relu = true, .accumulate = true}},
      {1, 61, 53, 47, {.transpose_c = true, .bias = true, .relu = true, .accumulate = true}},
      {1, 33, 200, 600, {.transpose_b = true, .transpose_c = true}},
      {1, 200, 256, 1500, {.relu = true}},
      {1, 20, 24, 9000},
      {1, 9000, 20, 24, {.transpose_a = true}},
      {1, 20, 9000, 24, {.transpose_b = true}},
      {1, 700, 130, 513},
      {1, 150, 70, 432, {.transpose_b = true}},
      {1, 150, 70, 433, {.transpose_b = true, .relu = true}},
      {3, 17, 19, 23},
      {40, 12, 64, 64, {.transpose_b = true}},
      {5, 33, 31, 70, {.transpose_a = true, .bias = true}},
      {6, 1, 32, 64},
      {6, 64, 32, 1},
      {1, 1, 300, 200},
      {1, 300, 1, 200},
      // Few rows.
      {1, 1, 6000, 100},
      {1, 1, 515, 1031, {.bias = true, .relu = true}},
      {1, 3, 2700, 200, {.transpose_a = true, .bias = true}},
      {1, 4, 4100, 131, {.bias = true, .relu = true, .accumulate = true}},
      {1, 8, 4001, 135, {.accumulate = true}},
      {1, 9, 4001, 135, {.accumulate = true}},
      {1, 1, 300, 200, {.transpose_b = true}},
      {1, 4, 301, 100, {.transpose_b = true, .bias = true, .relu = true, .accumulate = true}},
      {1, 5, 33, 64, {.transpose_b = true, .bias = true}},
      {1, 7, 129, 79, {.transpose_b = true, .transpose_c = true, .accumulate = true}},
      {1, 8, 515, 768, {.transpose_b = true}},
      {1, 9, 515, 768, {.transpose_b = true}},
      {1, 1, 300, 205, {.transpose_b = true}},
      {1, 3, 300, 100, {.transpose_a = true, .transpose_b = true}},
      {1, 3, 3000, 200, {.transpose_c = true}},
      {3, 2, 300, 80, {.transpose_b = true}},
      {1, 40, 30, 0, {.bias = true}},
      {1, 0, 30, 4},
  };
  return table;
}

TEST(Matmul, F32AgreesWithDouble) {
  for (const Case& c : cases()) {
    for (int threads : {1, 2, 5}) {
      EXPECT_LE((error_of<float, float>(options_of(c), threads)), 2e-6)
          << to_string(c) << ", threads " << threads;
    }
  }
}

// oneDNN's part where it has 512-bit vectors.
TEST(Matmul, LargeF32AgreesWithDouble) {
  const Case table[] = {
      {1, 513, 520, 520, {.bias = true, .relu = true}},
      {1, 256, 1000, 600, {.transpose_a = true, .transpose_b = true, .accumulate = true}},
      {1, 512, 512, 512, {.transpose_c = true, .bias = true}}};
  for (const Case& c : table) {
    EXPECT_LE((error_of<float, float>(options_of(c), 3)), 2e-6) << to_string(c);
  }
}

// Rows come once each, in whole blocks, and hold the product.
TEST(Matmul, ByRowsAgreesWithDouble) {
  const Case rows[] = {{1, 784, 128, 32, {.transpose_a = true}},
                       {1, 128, 10, 32, {.transpose_a = true}},
                       {1, 61, 53, 47, {.transpose_b = true}},
                       {1, 3, 512, 256},
                       {1, 500, 512, 256, {.transpose_a = true, .transpose_b = true}},
                       {1, 7000, 1, 1},
                       {1, 5, 40, 0}};
  for (const Case& c : rows) {
    MatmulOptions o = options_of(c);
    o.by_rows = true;
    for (int threads : {1, 2, 5}) {
      const auto a = test_data<float>(o.m * o.k, 1), b = test_data<float>(o.k * o.n, 2);
      const auto wanted =
          product(o, widened(a), widened(b), {}, std::vector<double>(o.m * o.n, 0.0));
      std::vector<float> result(o.m * o.n, 0.0f);
      Matmul matmul(o, threads);
      AlignedBytes scratch(matmul.scratch_bytes());
      ThreadPool pool(threads);
      matmul.run_rows({.a = a.data(), .b = b.data()}, scratch.data(), pool,
                      [&](int64_t begin, int64_t end, const void* sums) {
                        for (int64_t i = begin * o.n; i < end * o.n; ++i) {
                          result[i] += static_cast<const float*>(sums)[i - begin * o.n];
                        }
                      });
      EXPECT_LE(relative_rms_error(widened(result), wanted), 2e-6)
          << to_string(c) << ", threads " << threads;
    }
  }
  EXPECT_FALSE(Matmul::gives_rows(options_of({1, 30, 513, 7})));
  EXPECT_FALSE(Matmul::gives_rows(options_of({1, 30, 8, 257})));
  EXPECT_FALSE(Matmul::gives_rows(options_of({2, 30, 8, 7})));
  EXPECT_FALSE(Matmul::gives_rows(options_of({1, 30, 8, 7, {.bias = true}})));
}

// The same of bf16, which a matrix unit gives.
TEST(Matmul, MatrixUnitGivesRows) {
  for (const Case& c : {Case{1, 700, 130, 33, {.transpose_a = true}}, Case{1, 61, 40, 64},
                        Case{1, 5, 300, 70, {.transpose_b = true}}, Case{1, 2100, 384, 384}}) {
    MatmulOptions o = options_of(c);
    o.dtype = o.output_dtype = DType::bf16;
    if (!Matmul::gives_rows(o)) continue;  // no such unit
    o.by_rows = true;
    const auto a = test_data<bfloat16>(o.m * o.k, 1), b = test_data<bfloat16>(o.k * o.n, 2);
    const auto wanted = product(o, widened(a), widened(b), {}, std::vector<double>(o.m * o.n, 0.0));
    for (int threads : {1, 3}) {
      std::vector<float> result(o.m * o.n, 0.0f);
      Matmul matmul(o, threads);
      AlignedBytes scratch(matmul.scratch_bytes());
      ThreadPool pool(threads);
      matmul.run_rows({.a = a.data(), .b = b.data()}, scratch.data(), pool,
                      [&](int64_t begin, int64_t end, const void* sums) {
                        for (int64_t i = begin * o.n; i < end * o.n; ++i) {
                          result[i] += static_cast<const bfloat16*>(sums)[i - begin * o.n];
                        }
                      });
      EXPECT_LE(relative_rms_error(widened(result), wanted), 4e-3) << to_string(c) << threads;
    }
  }
}

// oneDNN serves bf16 where the processor multiplies it; how its work is cut shows in f32
// everywhere.
TEST(Matmul, OnednnAgreesWithDouble) {
  for (const Case& c : cases()) {
    for (int threads : {1, 2, 5}) {
      const MatmulOptions o = options_of(c);
      const auto onednn = kernels::make_onednn_matmul(o, threads);
      if (!onednn) continue;  // empty products, transposed results
      const auto a = test_data<float>(o.batch * o.m * o.k, 1),
                 b = test_data<float>(o.batch * o.k * o.n, 2), bias = test_data<float>(o.n, 3);
      auto result = test_data<float>(o.batch * o.m * o.n, 4);
      const auto wanted = product(o, widened(a), widened(b), widened(bias), widened(result));
      AlignedBytes scratch(onednn->scratch_bytes());
      ThreadPool pool(threads);
      onednn->run({.a = a.data(), .b = b.data(), .c = result.data(), .bias = bias.data()},
                  scratch.data(), pool);
      EXPECT_LE(relative_rms_error(widened(result), wanted), 2e-6)
          << to_string(c) << ", threads " << threads;
    }
  }
}

// What the matrix unit multiplies, where the processor has one: whole tiles and parts of them, both
// ways in which either operand may lie, k that is cut, rows that are packed once for several blocks
// of columns.
TEST(Matmul, MatrixUnitAgreesWithDouble) {
  std::vector<Case> more = cases();
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      for (const bool transpose_c : {false, true}) {
        const Flags flags{transpose_a, transpose_b, transpose_c,
                          transpose_a, transpose_b, transpose_c != transpose_a};
        more.push_back({1, 64, 96, 64, flags});
        more.push_back({1, 35, 600, 40, flags});
        more.push_back({1, 600, 50, 33, flags});
        more.push_back({1, 34, 20, 5000, flags});
        more.push_back({1, 9, 33, 33'000, flags});
        more.push_back({9, 17, 40, 48, flags});
      }
    }
  }
  more.push_back({1, 40, 800, 1025, {.transpose_a = true}});
  more.push_back({1, 400, 800, 600, {.transpose_a = true}});  // several tiles
  more.push_back({1, 390, 100, 700, {.transpose_a = true, .bias = true, .relu = true}});
  for (const Case& c : more) {
    for (int threads : {1, 3}) {
      MatmulOptions o = options_of(c);
      o.dtype = DType::bf16;
      if (!kernels::make_amx_matmul(o, threads)) continue;  // empty products, no such unit
      EXPECT_LE((error_of<bfloat16, float>(o, threads)), 2e-6) << to_string(c) << threads;
      EXPECT_LE((error_of<bfloat16, bfloat16>(o, threads)), 4e-3) << to_string(c) << threads;
    }
  }
}

// The largest products, in sums that neither 16 bits nor a float's digits hold.
TEST(Matmul, SumsOfBytesAreExact) {
  const int64_t m = 5, n = 33, k = 3001;
  std::vector<int8_t> a(m * k), b(k * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = i % 7 == 0 ? 127 : -128;
  for (size_t i = 0; i < b.size(); ++i) b[i] = i % 3 == 0 ? 127 : -128;
  std::vector<int32_t> c(m * n), wanted(m * n, 0);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t l = 0; l < k; ++l) wanted[i * n + j] += a[i * k + l] * b[l * n + j];
    }
  }
  const Matmul matmul({.m = m,
                       .n = n,
                       .k = k,
                       .a = kernels::row_major(m, k),
                       .b = kernels::row_major(k, n),
                       .c = kernels::row_major(m, n),
                       .dtype = DType::i8,
                       .output_dtype = DType::i32},
                      2);
  AlignedBytes scratch(matmul.scratch_bytes());
  matmul.run({.a = a.data(), .b = b.data(), .c = c.data()}, scratch.data(), pool());
  EXPECT_EQ(c, wanted);
}

TEST(Matmul, OtherTypesAgreeWithDouble) {
  for (const Case& c : cases()) {
    const MatmulOptions o = options_of(c);
    if (o.m * o.n * o.k > 2'000'000) continue;
    EXPECT_LE((error_of<double, double>(o, 2)), 1e-14) << to_string(c);
    EXPECT_EQ((error_of<int32_t, int32_t>(o, 2)), 0) << to_string(c);
    EXPECT_EQ((error_of<int64_t, int64_t>(o, 2)), 0) << to_string(c);
    EXPECT_EQ((error_of<int8_t, int32_t>(o, 2)), 0) << to_string(c);
    EXPECT_EQ((error_of<uint8_t, int32_t>(o, 3)), 0) << to_string(c);
    EXPECT_LE((error_of<bfloat16, float>(o, 2)), 2e-6) << to_string(c);
    EXPECT_LE((error_of<bfloat16, bfloat16>(o, 2)), 4e-3) << to_string(c);
    EXPECT_LE((error_of<float16, float>(o, 2)), 2e-6) << to_string(c);
    EXPECT_LE((error_of<float16, float16>(o, 2)), 5e-4) << to_string(c);
  }
}

TEST(Matmul, IntegersWrapAndPredIsOrOfAnds) {
  const std::vector<uint8_t> bytes = {200, 100, 3, 5};
  std::vector<uint8_t> squared(4);
  ThreadPool pool(1);
  const auto square = kernels::row_major(2, 2);
  MatmulOptions o{.m = 2,
                  .n = 2,
                  .k = 2,
                  .a = square,
                  .b = square,
                  .c = square,
                  .dtype = DType::u8,
                  .output_dtype = DType::u8};
  Matmul(o, 1).run({.a = bytes.data(), .b = bytes.data(), .c = squared.data()}, nullptr, pool);
  EXPECT_EQ(squared, (std::vector<uint8_t>{(200 * 200 + 300) % 256, (20000 + 500) % 256, 615 % 256,
                                           325 % 256}));

  const bool left[] = {true, false, false, false}, right[] = {false, true, true, true};
  bool result[4];
  o.dtype = o.output_dtype = DType::pred;
  Matmul(o, 1).run({.a = left, .b = right, .c = result}, nullptr, pool);
  EXPECT_FALSE(result[0]);
  EXPECT_TRUE(result[1]);
  EXPECT_FALSE(result[2]);
  EXPECT_FALSE(result[3]);
}

// Rows of a wider matrix, one operand for the whole batch, gaps between the rows of the result.
TEST(Matmul, StridesLeaveGapsAlone) {
  MatmulOptions o{.batch = 2,
                  .m = 20,
                  .n = 18,
                  .k = 30,
                  .a = {20 * 50, 50, 1},
                  .b = {0, 18, 1},
                  .c = {20 * 40, 40, 1}};
  const auto a = test_data<float>(2 * 20 * 50, 1), b = test_data<float>(30 * 18, 2);
  std::vector<float> c(2 * 20 * 40, 7.0f);
  const auto wanted = product(o, widened(a), widened(b), {}, widened(c));
  Matmul matmul(o, 2);
  AlignedBytes scratch(matmul.scratch_bytes());
  ThreadPool pool(2);
  matmul.run({.a = a.data(), .b = b.data(), .c = c.data()}, scratch.data(), pool);
  EXPECT_LE(relative_rms_error(widened(c), wanted), 1e-6);
  for (int row = 0; row < 40; ++row) {
    for (int column = 18; column < 40; ++column) EXPECT_EQ(c[row * 40 + column], 7.0f);
  }
}

// Heads of attention, each in its columns of [group, row, head, column], and the result as well.
struct Heads {
  static constexpr int64_t groups = 3, heads = 2, m = 20, n = 18, k = 7;

  static MatrixLayout layout(int64_t rows, int64_t columns) {
    return {rows * heads * columns, heads * columns, 1, columns};
  }
  static MatmulOptions options(DType dtype, DType output_dtype) {
    return {.batch = groups * heads,
            .group = heads,
            .m = m,
            .n = n,
            .k = k,
            .a = layout(m, k),
            .b = {n * heads * k, 1, heads * k, k},  // transposed
            .c = layout(m, n),
            .dtype = dtype,
            .output_dtype = output_dtype};
  }
  static std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> result(groups * heads * m * n);
    for (int64_t i = 0; i < groups * heads * m * n; ++i) {
      const int64_t column = i % n, head = i / n % heads, row = i / n / heads % m,
                    group = i / n / heads / m;
      for (int64_t step = 0; step < k; ++step) {
        result[i] += a[((group * m + row) * heads + head) * k + step] *
                     b[((group * n + column) * heads + head) * k + step];
      }
    }
    return result;
  }
};

template <class T, class Out>
void expect_groups_agree(double most_error) {
  const auto a = test_data<T>(Heads::groups * Heads::heads * Heads::m * Heads::k, 1);
  const auto b = test_data<T>(Heads::groups * Heads::heads * Heads::n * Heads::k, 2);
  const auto wanted = Heads::product(widened(a), widened(b));
  std::vector<Out> c(wanted.size());
  for (int threads : {1, 2, 5}) {
    Matmul matmul(Heads::options(dtype_of<T>, dtype_of<Out>), threads);
    AlignedBytes scratch(matmul.scratch_bytes());
    ThreadPool pool(threads);
    matmul.run({.a = a.data(), .b = b.data(), .c = c.data()}, scratch.data(), pool);
    EXPECT_LE(relative_rms_error(widened(c), wanted), most_error)
        << to_string(dtype_of<T>) << " to " << to_string(dtype_of<Out>) << ", " << threads
        << " threads";
  }
}

TEST(Matmul, GroupsOfMatrices) {
  expect_groups_agree<float, float>(1e-6);
  expect_groups_agree<bfloat16, float>(1e-6);
  expect_groups_agree<bfloat16, bfloat16>(4e-3);
  expect_groups_agree<float16, float16>(5e-4);
}

TEST(Matmul, GivesTheSameBitsEachTimeAndWithAnyPool) {
  for (const Case& one : {Case{1, 40, 48, 20'000}, Case{1, 3, 3001, 500},
                          Case{1, 3, 3001, 500, {.transpose_b = true}}}) {
    const MatmulOptions o = options_of(one);
    const auto a = test_data<float>(o.m * o.k, 1), b = test_data<float>(o.k * o.n, 2);
    Matmul matmul(o, 4);
    AlignedBytes scratch(matmul.scratch_bytes());
    std::vector<float> first;
    for (int threads : {1, 4, 4, 2}) {
      std::vector<float> c(static_cast<size_t>(o.m * o.n));
      ThreadPool pool(threads);
      matmul.run({.a = a.data(), .b = b.data(), .c = c.data()}, scratch.data(), pool);
      if (first.empty()) first = c;
      EXPECT_EQ(c, first) << to_string(one);
    }
  }
}

template <class T>
void expect_parts_are_the_whole(MatmulOptions o, const std::string& which) {
  o.dtype = o.output_dtype = dtype_of<T>;
  const auto a = test_data<T>(o.batch * o.m * o.k, 1), b = test_data<T>(o.batch * o.k * o.n, 2);
  const auto bias = test_data<T>(o.n, 3);
  const Matmul matmul(o, 2);
  ASSERT_EQ(matmul.parts(), o.batch) << which;
  AlignedBytes scratch(matmul.scratch_bytes()), part_scratch(matmul.part_scratch_bytes());
  EXPECT_EQ(matmul.scratch_bytes(), 2 * matmul.part_scratch_bytes());
  std::vector<T> wanted(static_cast<size_t>(o.batch * o.m * o.n)), got(wanted.size());
  ThreadPool pool(2);
  matmul.run({.a = a.data(), .b = b.data(), .c = wanted.data(), .bias = bias.data()},
             scratch.data(), pool);
  for (int64_t begin = 0; begin < o.batch; begin += 3) {
    matmul.run_parts({.a = a.data(), .b = b.data(), .c = got.data(), .bias = bias.data()}, begin,
                     std::min(begin + 3, o.batch), part_scratch.data());
  }
  EXPECT_EQ(widened(got), widened(wanted)) << which;
}

TEST(Matmul, PartsAreTheWhole) {
  for (const Case& c : {Case{8, 5, 7, 3}, Case{9, 64, 48, 32}, Case{16, 33, 200, 61},
                        Case{12, 13, 40, 9, {.transpose_b = true, .bias = true, .relu = true}}}) {
    expect_parts_are_the_whole<float>(options_of(c), to_string(c));
    MatmulOptions narrow = options_of(c);
    narrow.dtype = DType::bf16;
    if (!kernels::make_amx_matmul(narrow, 2)) continue;  // no such unit
    expect_parts_are_the_whole<bfloat16>(options_of(c), to_string(c) + " bf16");
  }
  EXPECT_EQ(Matmul(options_of({1, 64, 64, 20'000}), 2).parts(), 0);
}

// A result in bf16 is summed in f32 tile by tile, not in an array as large as itself.
TEST(Matmul, ScratchStaysSmallBesideTheResult) {
  MatmulOptions o = options_of({1, 40'000, 256, 200});
  o.dtype = o.output_dtype = DType::bf16;
  EXPECT_LE(kernels::make_gemm_matmul(o, 2)->scratch_bytes(), 4'000'000u);
}

TEST(Matmul, NanAndInfinityGoThrough) {
  const Case table[] = {{1, 8, 16, 16, {.relu = true}},
                        {1, 512, 512, 520, {.relu = true}},
                        {1, 512, 512, 520, {.transpose_c = true, .relu = true}},
                        {1, 4, 16, 16},
                        {1, 4, 4096, 128, {.relu = true}},
                        {1, 4, 4096, 128},
                        {1, 4, 16, 70, {.transpose_b = true, .relu = true}},
                        {1, 4, 16, 70, {.transpose_b = true}}};
  for (const Case& one : table) {
    const MatmulOptions o = options_of(one);
    auto a = test_data<float>(o.m * o.k, 1);
    const std::vector<float> b(static_cast<size_t>(o.k * o.n), 1.0f);
    const float infinity = o.relu ? INFINITY : -INFINITY;
    a[1 * o.k + 5] = NAN;
    a[3 * o.k] = infinity;
    std::vector<float> c(static_cast<size_t>(o.m * o.n));
    Matmul matmul(o, 1);
    AlignedBytes scratch(matmul.scratch_bytes());
    ThreadPool pool(1);
    matmul.run({.a = a.data(), .b = b.data(), .c = c.data()}, scratch.data(), pool);
    for (int64_t j = 0; j < o.n; ++j) {
      const auto at = [&](int64_t row) { return c[row * o.c.row_stride + j * o.c.column_stride]; };
      EXPECT_TRUE(std::isnan(at(1))) << to_string(one);
      EXPECT_EQ(at(3), infinity) << to_string(one);
      EXPECT_FALSE(std::isnan(at(2))) << to_string(one);
    }
  }
}

}  // namespace
}  // namespace systolic
