// Products whose right operand is packed once, in parts, and whose rows are multiplied in parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "backends/cpu/kernels/amx/amx.h"
#include "backends/cpu/kernels/kernel_test_data.h"
#include "backends/cpu/kernels/matmul/matmul.h"
#include "backends/cpu/kernels/matmul/matmul_test_cases.h"

namespace systolic {
namespace {

using namespace matmul_test;
using kernels::Matmul;
using kernels::MatmulOptions;

const std::vector<Case>& packed_cases() {
  static const std::vector<Case> table = {
      {1, 512, 96, 64},
      {1, 520, 40, 33, {.bias = true, .relu = true}},  // rows in parts of one
      {1, 544, 70, 300, {.transpose_b = true, .bias = true}},
      {1, 1024, 384, 384, {.transpose_b = true}},
      {1, 515, 32, 2048, {.relu = true}},
  };
  return table;
}

template <class Out>
void expect_packed_agrees(const Case& c, int threads, double most) {
  MatmulOptions o = options_of(c);
  o.dtype = DType::bf16;
  o.output_dtype = dtype_of<Out>;
  if (!Matmul::takes_packed(o)) return;  // no such unit
  o.b_packed = true;
  const auto a = test_data<bfloat16>(o.m * o.k, 1), b = test_data<bfloat16>(o.k * o.n, 2);
  const auto bias = test_data<bfloat16>(o.n, 3);
  std::vector<Out> whole(static_cast<size_t>(o.m * o.n)), parts(whole.size());
  const auto wanted =
      product(o, widened(a), widened(b), widened(bias), std::vector<double>(whole.size()));

  const Matmul matmul(o, threads);
  AlignedBytes packed(matmul.packed_bytes()), scratch(matmul.scratch_bytes()),
      part_scratch(matmul.part_scratch_bytes());
  for (int64_t part = matmul.pack_parts() - 1; part >= 0; --part) {
    matmul.pack(b.data(), part, part + 1, packed.data());
  }
  ThreadPool pool(threads);
  matmul.run({.a = a.data(), .b = packed.data(), .c = whole.data(), .bias = bias.data()},
             scratch.data(), pool);
  EXPECT_LE(relative_rms_error(widened(whole), wanted), most) << to_string(c) << threads;

  ASSERT_GT(matmul.parts(), 0) << to_string(c) << threads;
  ASSERT_EQ(o.m % matmul.parts(), 0) << to_string(c);
  for (int64_t begin = 0; begin < matmul.parts(); begin += 3) {
    matmul.run_parts({.a = a.data(), .b = packed.data(), .c = parts.data(), .bias = bias.data()},
                     begin, std::min(begin + 3, matmul.parts()), part_scratch.data());
  }
  EXPECT_EQ(widened(parts), widened(whole)) << to_string(c) << threads;
}

TEST(PackedMatmul, AgreesWithDoubleWholeAndInParts) {
  for (const Case& c : packed_cases()) {
    for (int threads : {1, 3}) {
      expect_packed_agrees<float>(c, threads, 2e-6);
      expect_packed_agrees<bfloat16>(c, threads, 4e-3);
    }
  }
}

// What pack() rounds is what a rounded b gives, ties, infinity and numbers that become it included.
TEST(PackedMatmul, RoundsWhatItPacks) {
  if (!kernels::amx::is_available()) GTEST_SKIP() << "this processor has no matrix unit";
  for (const Case& c : packed_cases()) {
    MatmulOptions o = options_of(c);
    o.dtype = DType::bf16;
    ASSERT_TRUE(Matmul::takes_packed(o)) << to_string(c);
    o.b_packed = true;
    auto b = test_data<float>(o.k * o.n, 2);
    b[0] = std::numeric_limits<float>::infinity();
    b[1] = -std::numeric_limits<float>::max();
    b[2] = 1 + 0x1p-8f;      // halfway, down to even
    b[3] = 1 + 3 * 0x1p-8f;  // and up
    std::vector<bfloat16> rounded;
    for (float value : b) rounded.push_back(bfloat16(value));
    const auto packed = [&](const void* from, bool rounds) {
      o.rounds_b = rounds;
      const Matmul matmul(o, 2);
      AlignedBytes bytes(matmul.packed_bytes());
      matmul.pack(from, 0, matmul.pack_parts(), bytes.data());
      const auto* begin = static_cast<const unsigned char*>(bytes.data());
      return std::vector<unsigned char>(begin, begin + matmul.packed_bytes());
    };
    EXPECT_EQ(packed(b.data(), true), packed(rounded.data(), false)) << to_string(c);
  }
}

TEST(PackedMatmul, IsForTallProductsOfNarrowFloats) {
  const auto takes = [](const Case& c, DType dtype) {
    MatmulOptions o = options_of(c);
    o.dtype = o.output_dtype = dtype;
    return Matmul::takes_packed(o);
  };
  EXPECT_FALSE(takes({1, 1024, 64, 64}, DType::f32));
  EXPECT_FALSE(takes({2, 1024, 64, 64}, DType::bf16));
  EXPECT_FALSE(takes({1, 64, 64, 64}, DType::bf16));
  EXPECT_FALSE(takes({1, 1024, 64, 64, {.transpose_a = true}}, DType::bf16));
  EXPECT_FALSE(takes({1, 1024, 64, 64, {.transpose_c = true}}, DType::bf16));
  EXPECT_FALSE(takes({1, 1024, 64, 64, {.accumulate = true}}, DType::bf16));
  EXPECT_FALSE(takes({1, 1024, 64, 4096}, DType::bf16));
  EXPECT_FALSE(takes({1, 1024, 65'536, 1024}, DType::bf16));  // no cache holds it
  MatmulOptions apart = options_of({1, 1024, 64, 64});
  apart.dtype = apart.output_dtype = DType::bf16;
  apart.b = {.row_stride = 128, .column_stride = 2};
  EXPECT_FALSE(Matmul::takes_packed(apart));
}

}  // namespace
}  // namespace systolic
