#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "backends/interpreter/test_program.h"
#include "systolic/base/text.h"

namespace systolic {
namespace {

using namespace ir;

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

void expect_numbers(const Literal& got, const std::vector<double>& wanted,
                    const std::string& what) {
  const std::vector<double> values = numbers(got);
  ASSERT_EQ(values.size(), wanted.size()) << what;
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (std::isnan(wanted[i])) {
      EXPECT_TRUE(std::isnan(values[i])) << what << " at " << i << ": " << values[i];
    } else {
      EXPECT_EQ(values[i], wanted[i]) << what << " at " << i;
      EXPECT_EQ(std::signbit(values[i]), std::signbit(wanted[i])) << what << " at " << i;
    }
  }
}

Literal of(DType dtype, const std::vector<double>& values) {
  return Literal::from(values, {static_cast<int64_t>(values.size())}).convert(dtype);
}

struct UnaryRow {
  OpCode code;
  DType dtype;
  std::vector<double> x, wanted;
};

const std::vector<UnaryRow> unary_rows{
    {OpCode::abs, DType::f32, {-1.5, -0.0, -inf, nan}, {1.5, 0.0, inf, nan}},
    {OpCode::abs, DType::i8, {-128, -5, 7}, {-128, 5, 7}},
    {OpCode::cbrt, DType::f32, {-8, 27}, {-2, 3}},
    {OpCode::ceil, DType::f32, {-1.5, 1.2, -0.2}, {-1, 2, -0.0}},
    {OpCode::cosine, DType::f64, {0}, {1}},
    {OpCode::count_leading_zeros, DType::u16, {0, 1, 65535}, {16, 15, 0}},
    {OpCode::count_leading_zeros, DType::i4, {0, 1, -1}, {4, 3, 0}},
    {OpCode::erf, DType::f64, {0, inf, -inf}, {0, 1, -1}},
    {OpCode::exponential, DType::f32, {0, -inf, inf, 200}, {1, 0, inf, inf}},
    {OpCode::exponential_minus_one, DType::f64, {0, -inf}, {0, -1}},
    {OpCode::floor, DType::bf16, {-1.5, 1.25}, {-2, 1}},
    {OpCode::is_finite, DType::f32, {1, inf, nan, -inf}, {1, 0, 0, 0}},
    {OpCode::log, DType::f64, {1, 0, -1}, {0, -inf, nan}},
    {OpCode::log_plus_one, DType::f64, {0, -1}, {0, -inf}},
    {OpCode::logistic, DType::f32, {0, inf, -inf}, {0.5, 1, 0}},
    {OpCode::negate, DType::i32, {-2147483648.0, 5}, {-2147483648.0, -5}},
    {OpCode::negate, DType::u8, {1, 0}, {255, 0}},
    {OpCode::negate, DType::f32, {0.0, nan}, {-0.0, nan}},
    {OpCode::not_, DType::pred, {1, 0}, {0, 1}},
    {OpCode::not_, DType::i16, {0, 5}, {-1, -6}},
    {OpCode::popcnt, DType::i8, {-1, 0, 5}, {8, 0, 2}},
    {OpCode::round_nearest_afz, DType::f32, {0.5, -2.5, 1.4}, {1, -3, 1}},
    {OpCode::round_nearest_even, DType::f32, {0.5, -2.5, 1.5}, {0, -2, 2}},
    {OpCode::rsqrt, DType::f32, {4, 0, inf}, {0.5, inf, 0}},
    {OpCode::sign, DType::f32, {-3, 0.0, -0.0, nan, inf}, {-1, 0.0, -0.0, nan, 1}},
    {OpCode::sign, DType::i32, {-3, 0, 9}, {-1, 0, 1}},
    {OpCode::sine, DType::f64, {0}, {0}},
    {OpCode::sqrt, DType::f64, {9, -1}, {3, nan}},
    {OpCode::tan, DType::f64, {0}, {0}},
    {OpCode::tanh, DType::f32, {0, inf, -inf}, {0, 1, -1}},
};

TEST(InterpreterElementwise, Unary) {
  for (const UnaryRow& row : unary_rows) {
    const auto got = run_program({of(row.dtype, row.x)}, [&](Builder&, std::span<const Value> x) {
      return std::vector<Value>{unary(row.code, x[0])};
    });
    expect_numbers(got[0], row.wanted, str(info(row.code).name, " of ", row.dtype));
  }
}

struct BinaryRow {
  OpCode code;
  DType dtype;
  std::vector<double> a, b, wanted;
};

constexpr double i32_min = -2147483648.0;

const std::vector<BinaryRow> binary_rows{
    {OpCode::add, DType::i8, {127, -128}, {1, -1}, {-128, 127}},
    {OpCode::add, DType::i4, {7}, {1}, {-8}},
    {OpCode::add, DType::pred, {1, 0}, {1, 0}, {1, 0}},
    {OpCode::add, DType::bf16, {256}, {1}, {256}},  // rounds to nearest even
    {OpCode::add, DType::f16, {2048}, {1}, {2048}},
    {OpCode::and_, DType::u8, {12}, {10}, {8}},
    {OpCode::atan2, DType::f64, {0, 0}, {1, -1}, {0, M_PI}},
    {OpCode::divide, DType::i32, {7, -7, 5, i32_min}, {2, 2, 0, -1}, {3, -3, -1, i32_min}},
    {OpCode::divide, DType::u8, {7, 5}, {2, 0}, {3, 255}},
    {OpCode::divide, DType::f32, {1, 0}, {0, 0}, {inf, nan}},
    {OpCode::maximum, DType::f32, {1, nan, -0.0, 0.0}, {nan, 1, 0.0, -0.0}, {nan, nan, 0.0, 0.0}},
    {OpCode::minimum, DType::f32, {1, nan, -0.0, 0.0}, {nan, 1, 0.0, -0.0}, {nan, nan, -0.0, -0.0}},
    {OpCode::maximum, DType::pred, {1, 0}, {0, 0}, {1, 0}},
    {OpCode::multiply, DType::u16, {65535}, {65535}, {1}},
    {OpCode::multiply, DType::pred, {1, 1}, {1, 0}, {1, 0}},
    {OpCode::or_, DType::pred, {1, 0}, {0, 0}, {1, 0}},
    {OpCode::power, DType::i32, {3, -1, 2, 1}, {4, -3, -1, -9}, {81, -1, 0, 1}},
    {OpCode::power, DType::f64, {2, 0}, {0.5, 0}, {std::sqrt(2.0), 1}},
    {OpCode::remainder, DType::i32, {7, -7, 5, i32_min}, {3, 3, 0, -1}, {1, -1, 5, 0}},
    {OpCode::remainder, DType::f32, {7.5, -7.5}, {2, 2}, {1.5, -1.5}},
    {OpCode::shift_left, DType::i32, {1, 1, 1}, {4, 32, -1}, {16, 0, 0}},
    {OpCode::shift_right_arithmetic, DType::i8, {-128, -128, 64}, {3, 9, 9}, {-16, -1, 0}},
    {OpCode::shift_right_logical, DType::i8, {-128, -128}, {3, 8}, {16, 0}},
    {OpCode::subtract, DType::u32, {0}, {1}, {4294967295.0}},
    {OpCode::xor_, DType::i32, {6}, {3}, {5}},
};

TEST(InterpreterElementwise, Binary) {
  for (const BinaryRow& row : binary_rows) {
    const auto got = run_program({of(row.dtype, row.a), of(row.dtype, row.b)},
                                 [&](Builder&, std::span<const Value> x) {
                                   return std::vector<Value>{binary(row.code, x[0], x[1])};
                                 });
    expect_numbers(got[0], row.wanted, str(info(row.code).name, " of ", row.dtype));
  }
}

struct ConvertRow {
  DType from, to;
  std::vector<double> x, wanted;
};

const std::vector<ConvertRow> convert_rows{
    {DType::f32, DType::i32, {1.9, -1.9, nan, 3e9, -3e9}, {1, -1, 0, 2147483647.0, i32_min}},
    {DType::f32, DType::u8, {-1, 300, 2.5}, {0, 255, 2}},
    {DType::i32, DType::i8, {200, -1}, {-56, -1}},
    {DType::f32, DType::pred, {0, -0.0, 0.25, nan}, {0, 0, 1, 1}},
    {DType::pred, DType::f32, {1, 0}, {1, 0}},
    {DType::f32, DType::bf16, {1.00390625, 1.01171875}, {1, 1.015625}},
    {DType::f64, DType::f16, {65520, 1e-8}, {inf, 0}},
};

TEST(InterpreterElementwise, Convert) {
  for (const ConvertRow& row : convert_rows) {
    const auto got = run_program({of(row.from, row.x)}, [&](Builder&, std::span<const Value> x) {
      return std::vector<Value>{convert(x[0], row.to)};
    });
    expect_numbers(got[0], row.wanted, str(row.from, " to ", row.to));
  }
}

TEST(InterpreterElementwise, CompareSelectClampAndReducePrecision) {
  const auto got = run_program(
      {of(DType::f32, {1, nan, -0.0}), of(DType::f32, {2, nan, 0.0})},
      [&](Builder& b, std::span<const Value> x) {
        const CompareAttributes total{Direction::lt, CompareType::total_order};
        const Value low = b.filled(DType::f32, {}, -0.5), high = b.filled(DType::f32, {}, 1.5);
        return std::vector<Value>{
            compare(x[0], x[1], Direction::eq),
            compare(x[0], x[1], Direction::ne),
            b.append_one(OpCode::compare, {x[0], x[1]}, total),
            select(compare(x[0], x[1], Direction::lt), x[0], x[1]),
            clamp(low, x[1], high),
            b.append_one(OpCode::reduce_precision, {x[1] * 1.3}, ReducePrecisionAttributes{5, 2})};
      });
  expect_numbers(got[0], {0, 0, 1}, "eq");
  expect_numbers(got[1], {1, 1, 0}, "ne");
  expect_numbers(got[2], {1, 0, 1}, "total order");
  expect_numbers(got[3], {1, nan, 0.0}, "select");
  expect_numbers(got[4], {1.5, nan, 0.0}, "clamp");
  expect_numbers(got[5], {2.5, nan, 0.0}, "reduce_precision");
}

TEST(InterpreterElementwise, ComplexNumbers) {
  const auto got = run_program(
      {of(DType::f32, {3, 0}), of(DType::f32, {4, -1})}, [&](Builder&, std::span<const Value> x) {
        const Value z = binary(OpCode::complex, x[0], x[1]);
        return std::vector<Value>{unary(OpCode::abs, z), unary(OpCode::real, z * z),
                                  unary(OpCode::imag, z * z)};
      });
  expect_numbers(got[0], {5, 1}, "abs");
  expect_numbers(got[1], {-7, -1}, "real of square");
  expect_numbers(got[2], {24, 0.0 * -1}, "imag of square");
}

TEST(InterpreterElementwise, BitcastBetweenWidths) {
  const auto got = run_program({of(DType::f32, {1, -2})}, [&](Builder&, std::span<const Value> x) {
    const Value bytes = bitcast_convert(x[0], {DType::u8, {2, 4}});
    return std::vector<Value>{bytes, bitcast_convert(bytes, {DType::f32, {2}}),
                              bitcast_convert(x[0], {DType::i32, {2}})};
  });
  expect_numbers(got[0], {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}, "bytes");
  expect_numbers(got[1], {1, -2}, "back");
  expect_numbers(got[2], {0x3f800000, -1073741824.0}, "words");
}

}  // namespace
}  // namespace systolic
