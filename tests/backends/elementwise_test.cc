#include <gtest/gtest.h>

#include "backends/interpreter/evaluate.h"
#include "systolic/base/text.h"
#include "tests/backends/compare.h"

namespace systolic {
namespace {

using ir::OpCode;

const Shape shapes[] = {Shape{},
                        Shape{1},
                        Shape{7},
                        Shape{3, 5},
                        Shape{2, 0, 3},
                        Shape{4, 1, 130},
                        Shape{2, 3, 2, 3, 2, 3}};

struct Row {
  OpCode code;
  std::vector<DType> dtypes;
  double tolerance = 8;
  Numbers numbers = {};
};

const std::vector<DType> floats = {DType::f32, DType::f64, DType::bf16, DType::f16};
const std::vector<DType> integers = {DType::i8, DType::i16, DType::i32, DType::i64,
                                     DType::u8, DType::u16, DType::u32, DType::u64};
std::vector<DType> both(std::vector<DType> a, const std::vector<DType>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
const std::vector<DType> numbers = both(floats, integers);
const std::vector<DType> signed_numbers =
    both(floats, {DType::i8, DType::i16, DType::i32, DType::i64});
const std::vector<DType> bits = both(integers, {DType::pred});

TEST(Elementwise, UnaryOps) {
  const Row rows[] = {
      {OpCode::abs, signed_numbers},
      {OpCode::cbrt, floats},
      {OpCode::ceil, floats},
      {OpCode::cosine, floats},
      {OpCode::count_leading_zeros, integers},
      {OpCode::erf, floats},
      {OpCode::exponential, floats},
      {OpCode::exponential_minus_one, floats},
      {OpCode::floor, floats},
      {OpCode::is_finite, floats},
      {OpCode::log, floats, 8, {0.01, 9}},
      {OpCode::log_plus_one, floats, 8, {-0.9, 9}},
      {OpCode::logistic, floats},
      {OpCode::negate, signed_numbers},
      {OpCode::not_, bits},
      {OpCode::popcnt, integers},
      {OpCode::round_nearest_afz, floats},
      {OpCode::round_nearest_even, floats},
      {OpCode::rsqrt, floats, 8, {0.01, 9}},
      {OpCode::sign, signed_numbers},
      {OpCode::sine, floats},
      {OpCode::sqrt, floats, 8, {0, 9}},
      {OpCode::tan, floats, 16, {-1.5, 1.5}},
      {OpCode::tanh, floats},
      {OpCode::real, {DType::f32, DType::c64, DType::c128}},
      {OpCode::imag, {DType::f32, DType::c64, DType::c128}},
      {OpCode::abs, {DType::c64, DType::c128}},
      {OpCode::exponential, {DType::c64, DType::c128}},
      {OpCode::log, {DType::c64, DType::c128}},
      {OpCode::negate, {DType::c64, DType::c128}},
      {OpCode::sqrt, {DType::c64, DType::c128}},
      {OpCode::tanh, {DType::c64, DType::c128}},
  };
  for (const Row& row : rows) {
    for (DType dtype : row.dtypes) {
      for (const Shape& shape : shapes) {
        expect_same_op(row.code, {{dtype, shape}}, {}, row.tolerance, row.numbers);
      }
    }
  }
}

TEST(Elementwise, BinaryOps) {
  const Row rows[] = {
      {OpCode::add, both(numbers, {DType::pred, DType::c64})},
      {OpCode::and_, bits},
      {OpCode::atan2, floats},
      {OpCode::complex, {DType::f32, DType::f64}},
      {OpCode::divide, numbers},
      {OpCode::divide, {DType::c64}, 64},
      {OpCode::maximum, both(numbers, {DType::pred})},
      {OpCode::minimum, both(numbers, {DType::pred})},
      {OpCode::multiply, both(numbers, {DType::pred, DType::c64})},
      {OpCode::or_, bits},
      {OpCode::power, {DType::f32, DType::f64}, 32, {0.1, 4}},
      {OpCode::power, {DType::i32, DType::u32}, 8, {0, 5}},
      {OpCode::power, {DType::i8, DType::i16, DType::i32, DType::i64}, 8, {-3, 4}},
      {OpCode::remainder, numbers},
      {OpCode::shift_left, integers, 8, {0, 9}},
      {OpCode::shift_right_arithmetic, integers, 8, {0, 9}},
      {OpCode::shift_right_logical, integers, 8, {0, 9}},
      {OpCode::subtract, both(numbers, {DType::c64})},
      {OpCode::xor_, bits},
  };
  for (const Row& row : rows) {
    for (DType dtype : row.dtypes) {
      for (const Shape& shape : shapes) {
        expect_same_op(row.code, {{dtype, shape}, {dtype, shape}}, {}, row.tolerance, row.numbers);
      }
    }
  }
}

// A negative exponent leaves 1 and -1, else 0: that of 0 too, which StableHLO leaves open.
TEST(Elementwise, IntegerPowersOfNegativeExponents) {
  for (DType dtype : {DType::i8, DType::i16, DType::i32, DType::i64}) {
    const ir::Type type{dtype, {7}};
    const ir::Module module = make_module([&](ir::Builder& b) {
      const ir::Value base = b.argument(type), exponent = b.argument(type);
      b.result(ir::binary(OpCode::power, base, exponent));
    });
    const Literal base = Literal::of<int64_t>({0, 1, 1, -1, -1, 2, -3});
    const Literal exponent = Literal::of<int64_t>({-1, -1, -2, -1, -2, -1, -3});
    const Literal wanted = Literal::of<int64_t>({0, 1, 1, -1, 1, 0, 0});
    const std::vector<Literal> arguments = {base.convert(dtype), exponent.convert(dtype)};
    EXPECT_EQ(interpreter::evaluate(module, arguments)[0], wanted.convert(dtype));
    expect_same(module, arguments, 0, "power");
  }
}

TEST(Elementwise, Comparisons) {
  using ir::Direction;
  for (Direction direction :
       {Direction::eq, Direction::ne, Direction::ge, Direction::gt, Direction::le, Direction::lt}) {
    for (DType dtype : both(numbers, {DType::pred})) {
      expect_same_op(OpCode::compare, {{dtype, {5, 9}}, {dtype, {5, 9}}},
                     ir::CompareAttributes{direction});
    }
    expect_same_op(OpCode::compare, {{DType::f32, {40}}, {DType::f32, {40}}},
                   ir::CompareAttributes{direction, ir::CompareType::total_order});
  }
}

TEST(Elementwise, SelectAndClamp) {
  for (DType dtype : both(numbers, {DType::c64})) {
    const ir::Type type{dtype, {4, 6}};
    expect_same_op(OpCode::select, {{DType::pred, {4, 6}}, type, type});
    expect_same_op(OpCode::select, {{DType::pred, {}}, type, type});
    if (dtype == DType::c64) continue;
    const ir::Module module = make_module([&](ir::Builder& b) {
      const ir::Value x = b.argument(type), limit = b.argument({dtype, {}});
      b.result(ir::clamp(b.filled(dtype, {}, 1), x, limit + 3));
    });
    expect_same(module, 8, "clamp");
  }
}

TEST(Elementwise, Conversions) {
  const std::vector<DType> all = both(numbers, {DType::pred});
  for (DType from : all) {
    for (DType to : all) {
      expect_same_op(OpCode::convert, {{from, {3, 11}}}, {}, 8, {0, 90}, {{to, {3, 11}}});
      if (is_signed_integer(from) || is_float(from)) {
        if (is_unsigned_integer(to) && is_float(from)) continue;  // out of range: not defined
        expect_same_op(OpCode::convert, {{from, {3, 11}}}, {}, 8, {-90, 90}, {{to, {3, 11}}});
      }
    }
  }
  expect_same_op(OpCode::convert, {{DType::f32, {5}}}, {}, 8, {}, {{DType::c64, {5}}});
  expect_same_op(OpCode::reduce_precision, {{DType::f32, {50}}},
                 ir::ReducePrecisionAttributes{5, 10});
  expect_same_op(OpCode::reduce_precision, {{DType::f32, {50}}},
                 ir::ReducePrecisionAttributes{8, 7});
  expect_same_op(OpCode::bitcast_convert, {{DType::f32, {4, 5}}}, {}, 8, {},
                 {{DType::i32, {4, 5}}});
  expect_same_op(OpCode::bitcast_convert, {{DType::f32, {4}}}, {}, 8, {}, {{DType::u8, {4, 4}}});
  expect_same_op(OpCode::bitcast_convert, {{DType::u8, {4, 4}}}, {}, 8, {}, {{DType::u32, {4}}});
}

TEST(Elementwise, Iota) {
  for (DType dtype : numbers) {
    for (int64_t axis : {0, 1, 2}) {
      expect_same_op(OpCode::iota, {}, ir::IotaAttributes{axis}, 8, {}, {{dtype, {3, 4, 5}}});
    }
  }
}

// As many arrays as the largest cluster may read: of 96 ops each reads two of its own.
TEST(Elementwise, ClustersOfManyArrays) {
  for (const int many : {70, 96, 100}) {
    const ir::Module module = make_module([&](ir::Builder& b) {
      ir::Value v = b.argument({DType::f32, {3, 16}});
      for (int i = 0; i < many; ++i) {
        v = ir::select(b.argument({DType::pred, {3, 16}}), v, b.argument({DType::f32, {3, 16}}));
      }
      b.result(v);
    });
    expect_same(module, 0, str(many, " selections"));
  }
}

}  // namespace
}  // namespace systolic
