#include <gtest/gtest.h>

#include "systolic/autodiff/gradient_table.h"
#include "systolic/autodiff/numeric_gradient.h"
#include "systolic/autodiff/rules/formula.h"
#include "systolic/base/error.h"
#include "systolic/core/test_literals.h"

namespace systolic {
namespace {

using namespace autodiff;
using ir::OpCode;
using ir::Value;
using Values = std::span<const Value>;

struct UnaryCase {
  OpCode code;
  double low, high;
};

class UnaryGradient : public testing::TestWithParam<UnaryCase> {};

TEST_P(UnaryGradient, IsTheDifferenceQuotient) {
  const auto [code, low, high] = GetParam();
  for (const Shape& shape : {Shape{}, Shape{5}, Shape{2, 3}}) {
    expect_gradients(std::string(ir::info(code).name),
                     std::vector<Literal>{random_array(shape, 3, low, high)},
                     [code = code](Values x) { return unary(code, x[0]); });
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ops, UnaryGradient,
    testing::Values(UnaryCase{OpCode::abs, 0.1, 2}, UnaryCase{OpCode::abs, -2, -0.1},
                    UnaryCase{OpCode::cbrt, 0.3, 2}, UnaryCase{OpCode::cbrt, -2, -0.3},
                    UnaryCase{OpCode::ceil, 0.1, 0.9}, UnaryCase{OpCode::cosine, -3, 3},
                    UnaryCase{OpCode::erf, -2, 2}, UnaryCase{OpCode::exponential, -2, 2},
                    UnaryCase{OpCode::exponential_minus_one, -2, 2},
                    UnaryCase{OpCode::floor, 0.1, 0.9}, UnaryCase{OpCode::log, 0.3, 3},
                    UnaryCase{OpCode::log_plus_one, -0.5, 3}, UnaryCase{OpCode::logistic, -3, 3},
                    UnaryCase{OpCode::negate, -2, 2},
                    UnaryCase{OpCode::round_nearest_afz, 0.1, 0.4},
                    UnaryCase{OpCode::round_nearest_even, 0.1, 0.4},
                    UnaryCase{OpCode::rsqrt, 0.3, 3}, UnaryCase{OpCode::sign, 0.1, 2},
                    UnaryCase{OpCode::sine, -3, 3}, UnaryCase{OpCode::sqrt, 0.3, 3},
                    UnaryCase{OpCode::tan, -1, 1}, UnaryCase{OpCode::tanh, -2, 2}),
    [](const auto& info) {
      return std::string(ir::info(info.param.code).name) + std::to_string(info.index);
    });

struct BinaryCase {
  OpCode code;
  double low_a, high_a, low_b, high_b;
};

class BinaryGradient : public testing::TestWithParam<BinaryCase> {};

TEST_P(BinaryGradient, IsTheDifferenceQuotient) {
  const BinaryCase& c = GetParam();
  for (const Shape& shape : {Shape{}, Shape{2, 4}}) {
    const Literal a = random_array(shape, 5, c.low_a, c.high_a);
    const Literal b = random_array(shape, 6, c.low_b, c.high_b);
    const auto op = [&](Values x) { return binary(c.code, x[0], x[1]); };
    expect_gradients("both", std::vector<Literal>{a, b}, op);
    expect_gradients("left", std::vector<Literal>{a},
                     [&](Values x) { return binary(c.code, x[0], x[0].builder().constant(b)); });
    expect_gradients("right", std::vector<Literal>{b},
                     [&](Values x) { return binary(c.code, x[0].builder().constant(a), x[0]); });
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, BinaryGradient,
                         testing::Values(BinaryCase{OpCode::add, -1, 1, -1, 1},
                                         BinaryCase{OpCode::atan2, 0.5, 2, 0.5, 2},
                                         BinaryCase{OpCode::atan2, -2, -0.5, -2, 2},
                                         BinaryCase{OpCode::divide, -1, 1, 0.5, 2},
                                         BinaryCase{OpCode::maximum, -1, 1, -1, 1},
                                         BinaryCase{OpCode::minimum, -1, 1, -1, 1},
                                         BinaryCase{OpCode::multiply, -1, 1, -1, 1},
                                         BinaryCase{OpCode::power, 0.5, 2, -2, 2},
                                         BinaryCase{OpCode::remainder, 5.2, 5.8, 2.1, 2.4},
                                         BinaryCase{OpCode::remainder, -5.8, -5.2, 2.1, 2.4},
                                         BinaryCase{OpCode::subtract, -1, 1, -1, 1}),
                         [](const auto& info) {
                           return std::string(ir::info(info.param.code).name) +
                                  std::to_string(info.index);
                         });

Literal vector_of(std::initializer_list<double> values) { return Literal::of<double>(values); }

TEST(ElementwiseGradient, PowerWithAConstantExponent) {
  for (double exponent : {0.5, 1.0, 2.0, 3.0, -1.5}) {
    expect_gradients(
        str("x^", exponent), std::vector<Literal>{random_array({6}, 1, 0.5, 2)},
        [&](Values x) { return pow(x[0], x[0].builder().filled_like(x[0], exponent)); });
  }
}

TEST(ElementwiseGradient, PowerIsFiniteAtZero) {
  const std::vector<Literal> inputs{vector_of({0, 0, 0}), vector_of({0, 1, 2})};
  const auto found = gradients_of(inputs, [](Values x) { return pow(x[0], x[1]); });
  EXPECT_EQ(numbers(found[0]), (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(numbers(found[1]), (std::vector<double>{0, 0, 0}));
}

TEST(ElementwiseGradient, ReluIsFlatAtZero) {
  const std::vector<Literal> inputs{vector_of({-1, 0, 2})};
  const auto relu = [](Values x) { return binary(OpCode::maximum, x[0], zeros_like(x[0])); };
  EXPECT_EQ(numbers(gradients_of(inputs, relu)[0]), (std::vector<double>{0, 0, 1}));
}

TEST(ElementwiseGradient, TiesOfTwoOperandsAreHalved) {
  const std::vector<Literal> inputs{vector_of({1, 2, 3}), vector_of({2, 2, 2})};
  for (OpCode code : {OpCode::maximum, OpCode::minimum}) {
    const auto found = gradients_of(inputs, [&](Values x) { return binary(code, x[0], x[1]); });
    const bool max = code == OpCode::maximum;
    EXPECT_EQ(numbers(found[0]), (std::vector<double>{max ? 0.0 : 1.0, 0.5, max ? 1.0 : 0.0}));
    EXPECT_EQ(numbers(found[1]), (std::vector<double>{max ? 1.0 : 0.0, 0.5, max ? 0.0 : 1.0}));
  }
}

TEST(ElementwiseGradient, ClampPassesAtItsBounds) {
  const std::vector<Literal> inputs{Literal::scalar(-1.0), vector_of({-2, -1, 0, 1, 3}),
                                    Literal::scalar(1.0)};
  const auto found = gradients_of(inputs, [](Values x) { return clamp(x[0], x[1], x[2]); });
  EXPECT_EQ(numbers(found[0]), (std::vector<double>{1}));
  EXPECT_EQ(numbers(found[1]), (std::vector<double>{0, 1, 1, 1, 0}));
  EXPECT_EQ(numbers(found[2]), (std::vector<double>{1}));
}

TEST(ElementwiseGradient, ClampBetweenArrays) {
  expect_gradients("clamp",
                   std::vector<Literal>{random_array({8}, 1, -1, -0.5), random_array({8}, 2, -2, 2),
                                        random_array({8}, 3, 0.5, 1)},
                   [](Values x) { return clamp(x[0], x[1], x[2]); });
}

TEST(ElementwiseGradient, SelectByArrayAndByScalar) {
  const Literal a = random_array({4}, 1), b = random_array({4}, 2);
  expect_gradients("array", std::vector<Literal>{a, b},
                   [](Values x) { return select(greater(x[0], x[1]), x[0] * x[1], x[1]); });
  expect_gradients("scalar", std::vector<Literal>{a, b}, [](Values x) {
    const Value yes = x[0].builder().constant(Literal::scalar(true));
    return select(yes, x[0] * 3.0, x[1]);
  });
}

TEST(ElementwiseGradient, ConvertsBackToTheSourceType) {
  const std::vector<Literal> inputs{random_array({3}, 1)};
  const auto through_f32 = [](Values x) {
    return convert(convert(x[0], DType::f32) * 3.0, DType::f64);
  };
  EXPECT_EQ(numbers(gradients_of(inputs, through_f32)[0]), (std::vector<double>{3, 3, 3}));
}

TEST(ElementwiseGradient, ReducePrecisionRoundsTheGradientToo) {
  const std::vector<Literal> inputs{vector_of({1.0, 2.0})};
  const auto rounded = [](Values x) {
    const Value y = x[0].builder().append_one(OpCode::reduce_precision, {x[0]},
                                              ir::ReducePrecisionAttributes{8, 2});
    return y * 1.0625;  // needs four bits of mantissa
  };
  EXPECT_EQ(numbers(gradients_of(inputs, rounded)[0]), (std::vector<double>{1, 1}));
}

// Complex values are built of two real inputs, so that differences can be taken for each part.
TEST(ElementwiseGradient, ComplexArithmetic) {
  const std::vector<Literal> inputs{random_array({3}, 1, 0.5, 1), random_array({3}, 2, 0.5, 1),
                                    random_array({3}, 3, 0.5, 1), random_array({3}, 4, 0.5, 1)};
  using Binary = std::function<Value(Value, Value)>;
  const std::vector<std::pair<std::string, Binary>> cases{
      {"add", [](Value a, Value b) { return a + b; }},
      {"subtract", [](Value a, Value b) { return a - b; }},
      {"multiply", [](Value a, Value b) { return a * b; }},
      {"divide", [](Value a, Value b) { return a / b; }},
      {"negate", [](Value a, Value b) { return -(a * b); }},
      {"exp", [](Value a, Value b) { return exp(a * b); }},
      {"log", [](Value a, Value b) { return log(a * b); }},
      {"select", [](Value a, Value b) { return select(greater(real(a), real(b)), a * b, b); }},
      {"convert",
       [](Value a, Value b) { return a * convert(convert(real(b), DType::c128), DType::c128); }},
      {"dot",
       [](Value a, Value b) {
         return dot(reshape(a, {1, 3}), reshape(b, {3, 1}));
       }},
  };
  for (const auto& named : cases) {
    const auto& name = named.first;
    const auto& op = named.second;
    for (bool imaginary : {false, true}) {
      expect_gradients(name, inputs, [&](Values x) {
        const Value y = op(complex(x[0], x[1]), complex(x[2], x[3]));
        return imaginary ? imag(y) : real(y);
      });
    }
    expect_gradients(name + " abs", inputs,
                     [&](Values x) { return abs(op(complex(x[0], x[1]), complex(x[2], x[3]))); });
  }
}

TEST(ElementwiseGradient, ComplexWithoutARuleIsAnError) {
  const std::vector<Literal> inputs{random_array({3}, 1)};
  const auto program = [](Values x) { return real(cos(complex(x[0], x[0]))); };
  EXPECT_THROW(gradients_of(inputs, program), Unimplemented);
}

TEST(ElementwiseGradient, BitsHaveNone) {
  const std::vector<Literal> inputs{random_array({3}, 1)};
  const auto program = [](Values x) { return bitcast_convert(x[0], {DType::f64, {3}}); };
  EXPECT_THROW(gradients_of(inputs, program), Unimplemented);
}

TEST(GradientTable, HasARowForEveryOp) {
  for (int i = 0; i < ir::op_count; ++i) {
    const auto code = static_cast<OpCode>(i);
    EXPECT_EQ(gradient_row(code).code, code);
  }
}

}  // namespace
}  // namespace systolic
