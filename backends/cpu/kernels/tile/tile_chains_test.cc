// Chains of instructions that become one, against plain loops; and chains that only look like them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "backends/cpu/kernels/tile/tile_program.h"
#include "systolic/base/text.h"

namespace systolic {
namespace {

using kernels::TileOp;
using kernels::TileProgram;
using kernels::TileProgramBuilder;

// Horner's rule with factors and summands in any order.
int horner(TileProgramBuilder& b, int x, const std::vector<float>& coefficients, int order) {
  int sum = b.constant(DType::f32, coefficients[0]);
  for (size_t k = 1; k < coefficients.size(); ++k) {
    const int product =
        order & 1 ? b.op(TileOp::multiply, {x, sum}) : b.op(TileOp::multiply, {sum, x});
    const int c = b.constant(DType::f32, coefficients[k]);
    sum = order & 2 ? b.op(TileOp::add, {c, product}) : b.op(TileOp::add, {product, c});
  }
  return sum;
}

TEST(TileChains, Polynomials) {
  for (size_t terms : {2, 3, 4, 5, 9, 17}) {
    std::vector<float> coefficients;
    for (size_t k = 0; k < terms; ++k) coefficients.push_back(0.5f - 0.13f * static_cast<float>(k));
    for (int order = 0; order < 4; ++order) {
      for (int64_t count : {1, 16, 333, 5000}) {
        TileProgramBuilder builder({count});
        const int x = builder.op(TileOp::tanh, {builder.input(DType::f32)});
        builder.output(horner(builder, x, coefficients, order), DType::f32);
        const TileProgram program = builder.build();
        EXPECT_EQ(program.instructions(), terms < 4 ? static_cast<int>(terms) : 2)
            << program.text();
        const std::vector<float> in = converted<float>(test_values(count, 3));
        std::vector<float> got(static_cast<size_t>(count));
        const void* inputs[] = {in.data()};
        void* outputs[] = {got.data()};
        program.run(inputs, outputs, pool());
        for (size_t i = 0; i < got.size(); ++i) {
          const double at = std::tanh(in[i]);
          double wanted = 0;
          for (float c : coefficients) wanted = wanted * at + c;
          ASSERT_NEAR(got[i], wanted, 4e-6) << terms << " terms, order " << order << ", " << i;
        }
      }
    }
  }
}

// A sum in between that is read elsewhere, another variable in the middle, a product of constants.
TEST(TileChains, AlmostPolynomials) {
  const int64_t count = 100;
  TileProgramBuilder b({count});
  const int x = b.input(DType::f32), y = b.input(DType::f32);
  const int low = horner(b, x, {0.5f, -0.25f, 1.0f}, 0);
  const int one = b.constant(DType::f32, 1.0);
  const int by_x = b.op(TileOp::add, {b.op(TileOp::multiply, {low, x}), one});
  const int by_y = b.op(TileOp::add, {b.op(TileOp::multiply, {by_x, y}), one});
  b.output(b.op(TileOp::add, {b.op(TileOp::multiply, {by_y, x}), one}), DType::f32);
  b.output(low, DType::f32);
  const TileProgram program = b.build();
  const std::vector<float> u = converted<float>(test_values(count, 1)),
                           v = converted<float>(test_values(count, 2));
  std::vector<float> got(count), got_low(count);
  const void* inputs[] = {u.data(), v.data()};
  void* outputs[] = {got.data(), got_low.data()};
  program.run(inputs, outputs, pool());
  for (size_t i = 0; i < got.size(); ++i) {
    const double p = u[i], q = v[i], l = (0.5 * p - 0.25) * p + 1;
    const double wanted = ((l * p + 1) * q + 1) * p + 1;
    EXPECT_NEAR(got_low[i], l, 1e-6 * (1 + std::fabs(l)));
    EXPECT_NEAR(got[i], wanted, 1e-5 * (1 + std::fabs(wanted)));
  }
}

template <class T>
void check_rotation(int up, int down) {
  const int64_t count = 77;
  TileProgramBuilder b({count});
  const int x = b.input(dtype_of<T>);
  const auto shift = [&](TileOp op, int by) {
    return b.op(op, {x, b.constant_integer(dtype_of<T>, by)});
  };
  b.output(
      b.op(TileOp::or_, {shift(TileOp::shift_left, up), shift(TileOp::shift_right_logical, down)}),
      dtype_of<T>);
  const TileProgram program = b.build();
  const int bits = 8 * static_cast<int>(sizeof(T));
  const bool rotates = up > 0 && down > 0 && up + down == bits;
  EXPECT_EQ(program.instructions(), rotates ? 1 : 3) << program.text();
  std::vector<T> in(count), got(count);
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(0x9E3779B97F4A7C15u * (i + 1));
  const void* inputs[] = {in.data()};
  void* outputs[] = {got.data()};
  program.run(inputs, outputs, pool());
  for (size_t i = 0; i < in.size(); ++i) {
    const T high = up < bits ? static_cast<T>(in[i] << up) : 0;
    const T low = down < bits ? static_cast<T>(in[i] >> down) : 0;
    EXPECT_EQ(got[i], static_cast<T>(high | low)) << up << " and " << down;
  }
}

TEST(TileChains, Rotations) {
  for (int up : {0, 1, 13, 31, 32}) check_rotation<uint32_t>(up, 32 - up);
  for (int up : {1, 13, 63}) check_rotation<uint64_t>(up, 64 - up);
  check_rotation<uint32_t>(13, 20);
}

// Indices times factors: the row-major position, a part of it, and what is neither.
TEST(TileChains, Positions) {
  struct Row {
    std::vector<int64_t> factors;  // of the axes; 0: left out
    bool one_index;
  };
  const std::vector<int64_t> dims{3, 1, 5, 40};
  const Row rows[] = {{{200, 200, 40, 1}, true}, {{5, 0, 1, 0}, true},   {{0, 7, 40, 1}, true},
                      {{200, 0, 40, 2}, false},  {{40, 0, 0, 1}, false}, {{200, 0, 41, 1}, false}};
  for (const Row& row : rows) {
    for (DType dtype : {DType::u64, DType::i32, DType::u8}) {
      TileProgramBuilder b(dims);
      int sum = -1;
      for (size_t axis = 0; axis < dims.size(); ++axis) {
        if (row.factors[axis] == 0) continue;
        int term = b.iota(dtype, static_cast<int>(axis));
        if (row.factors[axis] != 1) {
          term = b.op(TileOp::multiply, {b.constant_integer(dtype, row.factors[axis]), term});
        }
        sum = sum < 0 ? term : b.op(TileOp::add, {sum, term});
      }
      b.output(sum, dtype);
      // The upper half, of which nothing is left where positions are few.
      if (dtype == DType::u64) {
        const int high = b.op(TileOp::shift_right_logical, {sum, b.constant_integer(dtype, 32)});
        b.output(b.convert(high, DType::u32), DType::u32);
      } else {
        b.output(b.convert(sum, DType::u32), DType::u32);
      }
      const TileProgram program = b.build();
      const std::string text = str("dtype ", dtype, ", factors ", join(row.factors));
      if (row.one_index && dtype != DType::u8) {
        EXPECT_EQ(program.instructions(), 0) << text << "\n" << program.text();
      }
      const auto count = static_cast<size_t>(program.elements());
      std::vector<uint64_t> got(count);
      std::vector<uint32_t> other(count);
      void* outputs[] = {got.data(), other.data()};
      program.run({}, outputs, pool());
      for (size_t i = 0; i < count; ++i) {
        size_t rest = i;
        uint64_t wanted = 0;
        for (size_t axis = dims.size(); axis-- > 0;) {
          wanted +=
              rest % static_cast<size_t>(dims[axis]) * static_cast<uint64_t>(row.factors[axis]);
          rest /= static_cast<size_t>(dims[axis]);
        }
        const auto* bytes = reinterpret_cast<const unsigned char*>(got.data());
        uint64_t value = 0;
        const auto width = static_cast<size_t>(byte_width(dtype));
        std::memcpy(&value, bytes + i * width, width);
        if (dtype == DType::u8) wanted %= 256;
        ASSERT_EQ(value, wanted) << text << ", position " << i;
        ASSERT_EQ(other[i], dtype == DType::u64 ? 0 : wanted) << text << ", position " << i;
      }
    }
  }
}

}  // namespace
}  // namespace systolic
