// Operations on tensors, with NumPy's results.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "systolic/systolic.h"
#include "tests/examples/matches.h"

namespace systolic {
namespace {

struct Case {
  const char* name;
  Tensor found;
  std::vector<double> wanted;
};

TEST(TensorExamples, FunctionsOfOneNumber) {
  const Tensor x = constant({-1.5f, 0.25f});
  const Tensor positive = constant({0.25f, 4.f});
  const float infinity = std::numeric_limits<float>::infinity();
  const Case cases[] = {
      {"expm1", expm1(x), {std::expm1(-1.5), std::expm1(0.25)}},
      {"log1p", log1p(positive), {std::log1p(0.25), std::log(5.0)}},
      {"rsqrt", rsqrt(positive), {2, 0.5}},
      {"tan", tan(x), {std::tan(-1.5), std::tan(0.25)}},
      {"erf", erf(x), {std::erf(-1.5), std::erf(0.25)}},
      {"ceil", ceil(x), {-1, 1}},
      {"sign", sign(x), {-1, 1}},
      {"is_finite", is_finite(constant({1.f, infinity})), {1, 0}},
      {"logical_not", logical_not(constant({true, false})), {0, 1}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    expect_numbers(c.found, c.wanted);
  }
}

TEST(TensorExamples, FunctionsOfTwoNumbers) {
  const Tensor a = constant({6.f, 2.f}), b = constant({3.f, 8.f});
  const Tensor yes = constant({true, true}), perhaps = constant({true, false});
  const Operand two = 2;  // a number takes the type of the tensor beside it
  const Case cases[] = {
      {"subtract", subtract(a, b), {3, -6}},
      {"divide", divide(a, b), {2, 0.25}},
      {"divide_no_nan", divide_no_nan(a, constant({0.f, 4.f})), {0, 0.5}},
      {"maximum", maximum(a, b), {6, 8}},
      {"minimum", minimum(a, b), {3, 2}},
      {"a number", maximum(a, two), {6, 2}},
      {"atan2",
       atan2(constant({1.f, 0.f}), constant({1.f, -1.f})),
       {std::atan2(1, 1), std::acos(-1)}},
      {"logical_and", logical_and(yes, perhaps), {1, 0}},
      {"not_equal", not_equal(yes, perhaps), {0, 1}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    expect_numbers(c.found, c.wanted);
  }
}

TEST(TensorExamples, MovingElements) {
  const Tensor x = constant({{1.f, 2.f}, {3.f, 4.f}});
  const Case cases[] = {
      {"squeeze", squeeze(constant({{1.f, 2.f}}), {0}) + x[0], {2, 4}},
      {"stack", stack({x[0], x[1]}, 1), {1, 3, 2, 4}},
      {"tile", tile(x, {1, 2}), {1, 2, 1, 2, 3, 4, 3, 4}},
      {"flip", flip(x, {1}), {2, 1, 4, 3}},
      {"iota", iota({2, 2}, 1), {0, 1, 0, 1}},
      {"scatter_update", scatter_update(x, constant({1}), constant({{7.f, 8.f}})), {1, 2, 7, 8}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    expect_numbers(c.found, c.wanted);
  }
}

TEST(TensorExamples, IndicesMayBeRangesAndNewAxes) {
  const Tensor x = reshape(range(24), {2, 3, 4});
  const Index last = -1;
  EXPECT_EQ(x[last].shape(), (Shape{3, 4}));
  expect_numbers(x[{Ellipsis{}, 0}], {0, 4, 8, 12, 16, 20});
  EXPECT_EQ((x[{NewAxis{}, 0}].shape()), (Shape{1, 3, 4}));
}

TEST(TensorExamples, ReductionsKeepAxesWhereAsked) {
  const Tensor x = constant({{1.f, 2.f}, {3.f, 4.f}});
  const ReduceOptions columns{.axis = 0, .keepdims = true};
  EXPECT_EQ(sum(x, columns).shape(), (Shape{1, 2}));
  expect_numbers(sum(x, columns), {4, 6});
  expect_numbers(any(x > 3.5, {.axis = 1}), {0, 1});
  const TopK best = top_k(constant({3.f, 9.f, 5.f}), 2);
  expect_numbers(best.values, {9, 5});
  expect_numbers(best.indices, {1, 2});
}

TEST(TensorExamples, WindowsOfConvolutionAndPooling) {
  const Tensor x = reshape(constant({1.f, 5.f, 2.f, 8.f}), {1, 4, 1});
  const PoolOptions pairs{.window = {2}};
  expect_numbers(max_pool(x, pairs), {5, 8});
  expect_numbers(average_pool(x, pairs), {3, 5});

  const std::pair<int64_t, int64_t> padding = same_padding(4, 3, 1);  // size, window, stride
  EXPECT_EQ(padding, (std::pair<int64_t, int64_t>{1, 1}));
  const ConvolutionOptions same{.padding = {padding}};
  const Tensor adds_neighbours = ones({3, 1, 1});
  expect_numbers(convolution(x, adds_neighbours, same), {6, 8, 15, 10});
}

TEST(TensorExamples, RandomNumbersDependOnTheirKeyAlone) {
  const RandomOptions keyed{.key = constant({uint64_t{7}, uint64_t{0}})};
  const Literal bits = random_bits({4}, keyed).literal();
  EXPECT_EQ(bits.dtype(), DType::u32);
  EXPECT_EQ(bits, random_bits({4}, keyed).literal());
  set_seed(3);
  const uint64_t first = next_seed(), second = next_seed();
  EXPECT_NE(first, second);
  set_seed(3);
  EXPECT_EQ(first, next_seed());
}

TEST(TensorExamples, DistinctElements) {
  const UniqueOptions four{.size = 4, .fill_value = -1};
  expect_numbers(unique(constant({3, 1, 3, 2}), four), {1, 2, 3, -1});
}

TEST(TensorExamples, LoopsWithALimitHaveAGradient) {
  Variable x(3.f);
  const WhileOptions limited{.max_iterations = 5};
  const GradientTapeOptions once{.persistent = false};
  GradientTape tape(once);
  const Tensors end = while_loop(
      {x * 1, constant(0)}, [](const Tensors& state) { return state[1] < 2; },
      [&](const Tensors& state) {
        return Tensors{state[0] * x, state[1] + 1};
      },
      limited);
  expect_numbers(end[0], {27});                    // x³
  expect_numbers(tape.gradient(end[0], x), {27});  // 3 x²
}

TEST(TensorExamples, VariablesSayWhatReplicasDo) {
  const VariableOptions counted{
      .name = "steps", .trainable = false, .aggregation = Aggregation::sum};
  Variable steps(Literal::scalar(0), counted);
  steps.assign_add(2);
  EXPECT_EQ(steps.value().item<int32_t>(), 2);
}

}  // namespace
}  // namespace systolic
