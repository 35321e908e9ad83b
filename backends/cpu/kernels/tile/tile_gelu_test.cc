// GELU and its gradient as one instruction each, against what their parts give.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "backends/cpu/kernels/tile/tile_program.h"
#include "systolic/base/error.h"

namespace systolic {
namespace {

using kernels::TileOp;
using kernels::TileProgram;
using kernels::TileProgramBuilder;

// GELU as its formula is written, in each order of its factors, gives what the parts give, to the
// rounding of the error function.
TEST(TileProgram, GeluIsMerged) {
  struct Case {
    const char* text;
    bool sum = false;        // of an input and a bias
    bool turned = false;     // factors and summands in the other order
    bool keeps_erf = false;  // stored too
    bool keeps_sum = false;  // stored too
    bool goes_on = false;    // with a sum
    float half = 0.5F, one = 1.0F;
  };
  const Case cases[] = {{" = gelu "},
                        {" = gelu ", false, true},
                        {" = add_gelu ", true},
                        {" = add_gelu ", true, true},
                        {" = gelu ", true, false, false, true},
                        {" = add_gelu ", true, false, false, false, true},
                        {" = gelu ", false, true, false, false, true},
                        {" = multiply_erf ", true, false, true},
                        {" = multiply_erf ", true, false, false, false, false, 0.25F},
                        {" = multiply_erf ", true, false, false, false, false, 0.5F, 2.0F}};
  const int64_t count = 333;
  const std::vector<float> a = converted<float>(test_values(count, 10)),
                           bias = converted<float>(test_values(count, 11));
  using T = TileOp;
  // The factors' operands are stored where `parts`, so that nothing is merged.
  const auto run = [&](const Case& c, bool parts) {
    TileProgramBuilder b({count});
    const auto op = [&](T code, int x, int y) {
      return c.turned ? b.op(code, {y, x}) : b.op(code, {x, y});
    };
    const int input = b.input(DType::f32), added = b.input(DType::f32);
    const int x = c.sum ? b.op(T::add, {input, added}) : input;
    const int scaled = op(T::multiply, x, b.constant(DType::f32, 0.70710678));
    const int half = op(T::multiply, b.constant(DType::f32, c.half), x);
    const int erf = b.op(T::erf, {scaled});
    const int one_plus = op(T::add, b.constant(DType::f32, c.one), erf);
    const int gelu = op(T::multiply, half, one_plus);
    std::vector<int> stored{c.goes_on ? b.op(T::add, {gelu, added}) : gelu};
    if (c.keeps_erf) stored.push_back(erf);
    if (c.keeps_sum) stored.push_back(x);
    if (parts) stored.insert(stored.end(), {x, scaled, half, erf, one_plus, gelu});
    for (int value : stored) b.output(value, DType::f32);
    const TileProgram program = b.build();
    EXPECT_EQ(program.text().find(c.text) != std::string::npos, !parts) << program.text();
    std::vector<std::vector<float>> results(stored.size(), std::vector<float>(count));
    const void* inputs[] = {a.data(), bias.data()};
    std::vector<void*> outputs;
    for (std::vector<float>& result : results) outputs.push_back(result.data());
    program.run(inputs, outputs, pool());
    return results;
  };
  for (const Case& c : cases) {
    const auto merged = run(c, false), wanted = run(c, true);
    for (size_t k = 0; k < merged.size(); ++k) {  // those kept too
      for (size_t i = 0; i < merged[k].size(); ++i) {
        // The merged error function is off by 6 ulp at most, that by itself by 2: of numbers up to
        // 1 these are 8 times 2^-24, which half of x multiplies; the sums around it round once
        // more.
        const float x = c.sum ? a[i] + bias[i] : a[i];
        const float bound =
            0x1p-24F * (4 * std::fabs(x) + 16 * std::fabs(wanted[k][i]) + 2 * std::fabs(bias[i]));
        ASSERT_TRUE(merged[k][i] == wanted[k][i] ||
                    std::fabs(merged[k][i] - wanted[k][i]) <= bound ||
                    (std::isnan(merged[k][i]) && std::isnan(wanted[k][i])))
            << c.text << " of " << a[i] << " and " << bias[i] << ": " << merged[k][i] << ", "
            << wanted[k][i];
      }
    }
  }
}

constexpr double scale = 0.70703125, peak = 1.12837917;  // 2 / sqrt(pi)

// How the gradient's formula is written, and what of it is kept.
struct GradientCase {
  const char* text;             // the instruction that is looked for
  bool sum = false;             // x is that of two inputs
  bool turned = false;          // factors and summands in the other order
  bool keeps_bell = false;      // stored too
  bool keeps_argument = false;  // stored too
  float one = 1.0F, half = 0.5F;
  // Another input instead of what the formula has, or besides it.
  bool other_gradient = false;   // in the second summand
  bool other_x = false;          // in the second summand
  bool other_scale = false;      // in the argument
  bool other_squared = false;    // in the exponential, for both factors
  bool other_in_square = false;  // for one of them
  bool factor_on_left = false, factor_on_right = false;
};

// Of (gradient, x, another number): half g (1 + erf(x c)) + g half x k exp(-(x c)^2) c.
struct GradientFormula {
  int sum, bell, argument;
};
GradientFormula write_gradient(TileProgramBuilder& b, const GradientCase& test,
                               const std::array<int, 3>& inputs) {
  using T = TileOp;
  const auto [gradient, input, more] = inputs;
  const auto op = [&](T code, int x, int y) {
    return test.turned ? b.op(code, {y, x}) : b.op(code, {x, y});
  };
  const auto times = [&](int x, int y) { return op(T::multiply, x, y); };
  const auto number = [&](double value) { return b.constant(DType::f32, value); };
  const int x = test.sum ? b.op(T::add, {input, more}) : input;
  const int argument = times(x, test.other_scale ? more : number(scale));
  const int one_plus = op(T::add, number(test.one), b.op(T::erf, {argument}));
  int left = times(times(gradient, one_plus), number(test.half));
  const int root = test.other_squared ? more : argument;
  const int square = times(root, test.other_in_square ? more : root);
  const int bell = b.op(T::exponential, {b.op(T::negate, {square})});
  const int g_x = times(test.other_gradient ? more : gradient,
                        times(number(test.half), test.other_x ? more : x));
  int right = times(times(g_x, times(bell, number(peak))), number(scale));
  if (test.factor_on_left) left = times(left, more);
  if (test.factor_on_right) right = times(more, right);
  return {op(T::add, left, right), bell, argument};
}

// The two summands, in double.
struct Summands {
  double left, right;
};
Summands gradient_of(const GradientCase& test, double g, double input, double more) {
  const double x = input + (test.sum ? more : 0);
  const double argument = x * (test.other_scale ? more : scale);
  const double root = test.other_squared ? more : argument;
  const double square = root * (test.other_in_square ? more : root);
  const double g_x = (test.other_gradient ? more : g) * test.half * (test.other_x ? more : x);
  return {g * (test.one + std::erf(argument)) * test.half * (test.factor_on_left ? more : 1),
          g_x * std::exp(-square) * peak * scale * (test.factor_on_right ? more : 1)};
}

struct Arrays {
  std::vector<std::vector<float>> inputs;
  explicit Arrays(int64_t count) {
    // Between -4 and 4: squares of which one factor may be negative have a bounded exponential.
    for (uint32_t k : {10, 11, 12}) {
      inputs.push_back(converted<float>(test_values(count, k)));
      for (float& value : inputs.back()) value = std::fmod(value, 4.0F);
    }
  }
};

// Runs the program of three inputs and as many outputs as `results`.
void run(const TileProgram& program, const Arrays& arrays,
         std::vector<std::vector<float>>& results) {
  const void* in[] = {arrays.inputs[0].data(), arrays.inputs[1].data(), arrays.inputs[2].data()};
  std::vector<void*> out;
  for (std::vector<float>& result : results) out.push_back(result.data());
  program.run(in, out, pool());
}

void expect_gradients(const GradientCase& test, const Arrays& arrays,
                      const std::vector<float>& got) {
  for (size_t i = 0; i < got.size(); ++i) {
    const double g = arrays.inputs[0][i], x = arrays.inputs[1][i], more = arrays.inputs[2][i];
    const auto [left, right] = gradient_of(test, g, x, more);
    // Errors of the summands, and of 1 + erf where it is nearly 0.
    const double bound = 1e-6 * (std::fabs(left) + std::fabs(right) +
                                 std::fabs(g) * (test.factor_on_left ? std::fabs(more) : 1));
    ASSERT_NEAR(got[i], left + right, bound) << test.text << " of " << g << " at " << x;
  }
}

// In one instruction where all of its parts are for it alone.
TEST(TileProgram, GeluGradientIsMerged) {
  const GradientCase cases[] = {
      {.text = " = gelu_gradient "},
      {.text = " = gelu_gradient ", .sum = true},
      {.text = " = gelu_gradient ", .keeps_argument = true},
      {.text = " = gelu_gradient ", .half = 0.75F},
      {.text = " = exponential ", .keeps_bell = true},
      {.text = " = exponential ", .one = 2.0F},
      {.text = " = exponential ", .other_gradient = true},
      {.text = " = exponential ", .other_x = true},
      {.text = " = exponential ", .other_scale = true},
      {.text = " = exponential ", .other_squared = true},
      {.text = " = exponential ", .other_in_square = true},
      {.text = " = exponential ", .factor_on_left = true},
      {.text = " = exponential ", .factor_on_right = true},
  };
  const int64_t count = 333;
  const Arrays arrays(count);
  for (GradientCase test : cases) {
    for (bool turned : {false, true}) {
      test.turned = turned;
      TileProgramBuilder b({count});
      const int gradient = b.input(DType::f32), input = b.input(DType::f32);
      const auto [sum, bell, argument] =
          write_gradient(b, test, {gradient, input, b.input(DType::f32)});
      std::vector<int> stored{sum};
      if (test.keeps_bell) stored.push_back(bell);
      if (test.keeps_argument) stored.push_back(argument);
      for (int value : stored) b.output(value, DType::f32);
      const TileProgram program = b.build();
      EXPECT_NE(program.text().find(test.text), std::string::npos) << program.text();
      std::vector<std::vector<float>> results(stored.size(), std::vector<float>(count));
      run(program, arrays, results);
      expect_gradients(test, arrays, results[0]);
      for (size_t i = 0; test.keeps_argument && i < results[1].size(); ++i) {
        ASSERT_NEAR(results[1][i], arrays.inputs[1][i] * scale, 1e-6 * std::fabs(results[1][i]));
      }
    }
  }
}

// Each has its own numbers, after the coefficients of a polynomial.
TEST(TileProgram, SeveralGeluGradients) {
  const GradientCase first{.text = "first"}, second{.text = "second", .half = 0.75F};
  const int64_t count = 100;
  const Arrays arrays(count);
  TileProgramBuilder b({count});
  std::array<int, 3> inputs;
  for (int& value : inputs) value = b.input(DType::f32);
  int polynomial = b.constant(DType::f32, 0.125);
  for (double coefficient : {-0.5, 2.0, 1.0, 3.0}) {
    polynomial = b.op(TileOp::add, {b.op(TileOp::multiply, {polynomial, inputs[1]}),
                                    b.constant(DType::f32, coefficient)});
  }
  b.output(polynomial, DType::f32);
  for (const GradientCase& test : {first, second}) {
    b.output(write_gradient(b, test, inputs).sum, DType::f32);
  }
  const TileProgram program = b.build();
  EXPECT_NE(program.text().find(" = polynomial "), std::string::npos) << program.text();
  std::vector<std::vector<float>> results(3, std::vector<float>(count));
  run(program, arrays, results);
  for (size_t i = 0; i < results[0].size(); ++i) {
    const double x = arrays.inputs[1][i];
    const double wanted = (((0.125 * x - 0.5) * x + 2) * x + 1) * x + 3;
    ASSERT_NEAR(results[0][i], wanted, 1e-5) << x;
  }
  expect_gradients(first, arrays, results[1]);
  expect_gradients(second, arrays, results[2]);
}

// A product of many factors is looked at no deeper than the instruction needs, and let go of step
// by step.
TEST(TileProgram, LongProductsInsteadOfAGelu) {
  for (bool constants : {false, true}) {
    TileProgramBuilder b({16});
    const int x = b.input(DType::f32), one = b.constant(DType::f32, 1.0);
    int product = x;
    for (int i = 0; i < 300'000; ++i) {
      product = b.op(TileOp::multiply, {product, constants ? one : x});
    }
    b.output(b.op(TileOp::add, {product, x}), DType::f32);
    EXPECT_THROW(b.build(), ResourceExhausted);
  }
}

// The gradient itself where x is large, none of it where x is large and negative, NaN of NaN; of
// infinity, infinity times 0, as the parts have it.
TEST(TileProgram, GeluGradientFarFromZero) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float x[] = {30, 1e30F, -30, -1e30F, 0, -0.0F, NAN, infinity, -infinity};
  const float wanted[] = {3, 3, 0, 0, 1.5F, 1.5F, NAN, NAN, NAN};
  constexpr int64_t count = std::size(x);
  TileProgramBuilder b({count});
  const int g = b.constant(DType::f32, 3.0), input = b.input(DType::f32);
  b.output(write_gradient(b, {.text = ""}, {b.op(TileOp::abs, {g}), input, input}).sum, DType::f32);
  const TileProgram program = b.build();
  EXPECT_NE(program.text().find(" = gelu_gradient "), std::string::npos) << program.text();
  std::vector<float> got(count);
  const void* in[] = {x};
  void* out[] = {got.data()};
  program.run(in, out, pool());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(std::isnan(wanted[i]) ? std::isnan(got[i]) : got[i] == wanted[i])
        << got[i] << " at " << x[i];
  }
}

}  // namespace
}  // namespace systolic
