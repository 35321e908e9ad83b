// GELU and its gradient as one instruction each, against what their parts give.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "backends/cpu/kernels/kernel_test_data.h"
#include "backends/cpu/kernels/tile/tile_program.h"

namespace systolic {
namespace {

using kernels::TileOp;
using kernels::TileProgram;
using kernels::TileProgramBuilder;

// GELU as its formula is written, in each order of its factors, gives the bits of the parts.
TEST(TileProgram, GeluIsMergedAndExact) {
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
        ASSERT_EQ(std::bit_cast<uint32_t>(merged[k][i]), std::bit_cast<uint32_t>(wanted[k][i]))
            << c.text << " of " << a[i] << " and " << bias[i];
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
  bool other_gradient = false;  // in the second summand
  bool other_argument = false;  // of the exponential
  float one = 1.0F, half = 0.5F;
};

// Of (gradient, x, another number): half g (1 + erf(x c)) + g half x k exp(-(x c)^2) c, and what is
// kept.
TileProgram gradient_program(const GradientCase& test, int64_t count) {
  using T = TileOp;
  TileProgramBuilder b({count});
  const auto op = [&](T code, int x, int y) {
    return test.turned ? b.op(code, {y, x}) : b.op(code, {x, y});
  };
  const auto number = [&](double value) { return b.constant(DType::f32, value); };
  const int gradient = b.input(DType::f32), input = b.input(DType::f32), more = b.input(DType::f32);
  const int x = test.sum ? b.op(T::add, {input, more}) : input;
  const int argument = op(T::multiply, x, number(scale));
  const int one_plus = op(T::add, number(test.one), b.op(T::erf, {argument}));
  const int first = op(T::multiply, op(T::multiply, gradient, one_plus), number(test.half));
  const int root = test.other_argument ? more : argument;
  const int square = b.op(T::multiply, {root, root});
  const int bell = b.op(T::exponential, {b.op(T::negate, {square})});
  const int share =
      op(T::multiply, test.other_gradient ? more : gradient, op(T::multiply, number(test.half), x));
  const int second =
      op(T::multiply, op(T::multiply, share, op(T::multiply, bell, number(peak))), number(scale));
  b.output(op(T::add, first, second), DType::f32);
  if (test.keeps_bell) b.output(bell, DType::f32);
  if (test.keeps_argument) b.output(argument, DType::f32);
  return b.build();
}

// The two summands, in double.
struct Summands {
  double left, right;
};
Summands gradient_of(const GradientCase& test, double g, double input, double more) {
  const double x = input + (test.sum ? more : 0);
  const double t = test.other_argument ? more : x * scale;
  return {g * (test.one + std::erf(x * scale)) * test.half,
          (test.other_gradient ? more : g) * test.half * x * std::exp(-t * t) * peak * scale};
}

// In one instruction where all of its parts are for it alone.
TEST(TileProgram, GeluGradientIsMerged) {
  const GradientCase cases[] = {
      {.text = " = gelu_gradient "},
      {.text = " = gelu_gradient ", .turned = true},
      {.text = " = gelu_gradient ", .sum = true},
      {.text = " = gelu_gradient ", .sum = true, .turned = true},
      {.text = " = gelu_gradient ", .keeps_argument = true},
      {.text = " = gelu_gradient ", .half = 0.75F},
      {.text = " = exponential ", .keeps_bell = true},
      {.text = " = exponential ", .other_gradient = true},
      {.text = " = exponential ", .other_argument = true},
      {.text = " = exponential ", .one = 2.0F},
  };
  const int64_t count = 333;
  std::vector<std::vector<float>> inputs;
  for (uint32_t k : {10, 11, 12}) inputs.push_back(converted<float>(test_values(count, k)));
  for (const GradientCase& test : cases) {
    const TileProgram program = gradient_program(test, count);
    EXPECT_NE(program.text().find(test.text), std::string::npos) << program.text();
    std::vector<float> got(count), kept(count);
    const void* in[] = {inputs[0].data(), inputs[1].data(), inputs[2].data()};
    void* out[] = {got.data(), kept.data()};
    const bool keeps = test.keeps_bell || test.keeps_argument;
    program.run(in, std::span<void* const>(out, keeps ? 2 : 1), pool());
    for (size_t i = 0; i < got.size(); ++i) {
      const double g = inputs[0][i], input = inputs[1][i], more = inputs[2][i];
      const auto [left, right] = gradient_of(test, g, input, more);
      // Of the summands, and of 1 + erf where it is nearly 0.
      const double bound = 1e-6 * (std::fabs(left) + std::fabs(right) + std::fabs(g));
      ASSERT_NEAR(got[i], left + right, bound) << test.text << " of " << g << " at " << input;
      if (test.keeps_argument) {
        ASSERT_NEAR(kept[i], input * scale, 1e-6 * std::fabs(input));
      }
    }
  }
}

// The gradient itself where x is large, none of it where x is large and negative, NaN of NaN; of
// infinity, infinity times 0, as the parts have it.
TEST(TileProgram, GeluGradientFarFromZero) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float x[] = {30, 1e30F, -30, -1e30F, 0, -0.0F, NAN, infinity, -infinity};
  const float wanted[] = {3, 3, 0, 0, 1.5F, 1.5F, NAN, NAN, NAN};
  constexpr int64_t count = std::size(x);
  const std::vector<float> gradient(count, 3.0F);
  std::vector<float> got(count);
  const void* in[] = {gradient.data(), x, gradient.data()};
  void* out[] = {got.data()};
  gradient_program({.text = ""}, count).run(in, out, pool());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(std::isnan(wanted[i]) ? std::isnan(got[i]) : got[i] == wanted[i])
        << got[i] << " at " << x[i];
  }
}

}  // namespace
}  // namespace systolic
