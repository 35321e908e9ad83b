// Ops whose result would depend on the data, in the form that keeps shapes; the errors that name
// the recipe.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "systolic/base/test_errors.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/control_flow.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/unique.h"

namespace systolic {
namespace {

std::vector<int32_t> unique_by_set(std::vector<int32_t> values, size_t size, int32_t fill) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  values.resize(size, fill);
  return values;
}

TEST(Unique, GivesTheDistinctElementsInRisingOrder) {
  const std::vector<std::vector<int32_t>> table = {
      {3, 1, 3, 2}, {5}, {7, 7, 7, 7}, {-1, 4, -1, 0, 4, 9, 0}, {2, 1}};
  for (const std::vector<int32_t>& values : table) {
    const Tensor x(Literal::from(values, {static_cast<int64_t>(values.size())}));
    for (const int64_t size : {1, 2, 4, 9}) {
      const Literal got = unique(x, {.size = size, .fill_value = -5}).literal();
      EXPECT_EQ(got, Literal::from(unique_by_set(values, static_cast<size_t>(size), -5), {size}))
          << to_string(got);
    }
  }
  const Tensor rows = constant({{2.f, 1.f}, {2.f, 0.5f}});
  EXPECT_EQ(unique(rows, {.size = 4}).literal(), Literal::of<float>({0.5f, 1, 2, 0.5f}));
}

TEST(TakeAlongAxis, IsNumPys) {
  const Tensor x = constant({{10, 11, 12}, {20, 21, 22}});
  struct Row {
    Tensor indices;
    int axis;
    Literal wanted;
  };
  const Row table[] = {
      {constant({{2}, {0}}), -1, Literal::of<int32_t>({{12}, {20}})},
      {constant({{2, 0}, {1, 1}}), 1, Literal::of<int32_t>({{12, 10}, {21, 21}})},
      {constant({{1, 0, 1}}), 0, Literal::of<int32_t>({{20, 11, 22}})},
      {constant({{1, 0, 1}, {0, 0, 1}}), 0, Literal::of<int32_t>({{20, 11, 22}, {10, 11, 22}})},
      {constant({{3}, {-1}}), -1, Literal::of<int32_t>({{0}, {0}})},
      {constant({{3, 1}, {-1, 2}}), -1, Literal::of<int32_t>({{0, 11}, {0, 22}})},
  };
  for (const Row& row : table) {
    const Literal got = take_along_axis(x, row.indices, row.axis).literal();
    EXPECT_EQ(got, row.wanted) << to_string(got);
  }
  EXPECT_THROW(take_along_axis(x, constant({0, 1})), InvalidArgument);
  EXPECT_THROW(take_along_axis(x, constant({{0.f}, {1.f}})), InvalidArgument);
  EXPECT_THROW(take_along_axis(x, constant({{0}, {1}, {1}})), InvalidArgument);
}

TEST(TakeAlongAxis, GradientsGoWhereTheElementsCameFrom) {
  const Tensor x = constant({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  GradientTape tape({.persistent = true});
  tape.watch(x);
  const Tensor one = sum(take_along_axis(x, constant({{2}, {0}})) * 3);
  const Tensor two = sum(take_along_axis(x, constant({{2, 2}, {0, 1}})) * 3);
  EXPECT_EQ(tape.gradient(one, x).literal(), Literal::of<float>({{0, 0, 3}, {3, 0, 0}}));
  EXPECT_EQ(tape.gradient(two, x).literal(), Literal::of<float>({{0, 0, 6}, {3, 3, 0}}));
}

TEST(All, IsAnIndexAndAReduction) {
  const Tensor x = constant({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ((x[{all, 1}].literal()), Literal::of<int32_t>({2, 5}));
  EXPECT_TRUE(all(x > 0).item<bool>());
  EXPECT_FALSE(all(x > 1).item<bool>());
  EXPECT_EQ(all(x > 1, {.axis = 1}).literal(), Literal::of<bool>({false, true}));
  EXPECT_EQ(all(x > 1, {.axis = 1, .keepdims = true}).shape(), (Shape{2, 1}));
  EXPECT_THROW(all(x), InvalidArgument);
}

// The guide's two forms of a conditional, and what is said to the third.
TEST(DataDependence, ConditionsAreDecidedOnTheDevice) {
  auto halve = function([](const Tensor& t) {
    return cond(
        sum(t) > 10, [&] { return t / 2.0; }, [&] { return t; });
  });
  auto indicator = function([](const Tensor& t) {
    const Tensor sum_over_10 = cast(sum(t) > 10, DType::f32);
    return t / (1.0 + sum_over_10);
  });
  for (const float value : {3.f, 30.f}) {
    const Tensor t = constant({value, 1.f});
    const Literal wanted = value > 10 ? Literal::of<float>({15, 0.5f}) : t.literal();
    EXPECT_EQ(halve(t).literal(), wanted);
    EXPECT_EQ(indicator(t).literal(), wanted);
  }
}

TEST(DataDependence, TheMaskedMeanKeepsItsShape) {
  auto mean_loss = function([](const Tensor& losses, const Tensor& labels) {
    const Tensor label_mask = cast(labels >= 0, DType::f32);
    return sum(losses * label_mask) / sum(label_mask);
  });
  const Tensor labels = constant({1, -100, 0, -100});
  EXPECT_EQ(mean_loss(constant({1.f, 50.f, 2.f, 60.f}), labels).item<float>(), 1.5f);
}

TEST(DataDependence, IsAnErrorThatNamesTheRecipe) {
  const Tensor outputs = constant({1.f, 2.f, 3.f}), labels = constant({1, -100, 0});
  struct Row {
    std::function<Tensor(const Tensor&)> body;
    std::vector<std::string> parts;
  };
  const Row table[] = {
      {[&](const Tensor& x) { return labels[x > 1]; },
       {"indexed by a mask", "size of the result would depend on the data",
        "sum(where(mask, x, 0))", "static_shapes_test.cc"}},
      {[](const Tensor& x) { return unique(x); },
       {"unique of shape (3,)", "depend on the data", "unique(x, {.size = n})",
        "sum(where(mask, x, 0)) / sum(cast(mask, DType::f32))", "static_shapes_test.cc"}},
      {[](const Tensor& x) { return unique(x, {.size = 0}); }, {"size = 0"}},
      {[](const Tensor& x) { return sum(x) > 10 ? x / 2.0 : x; },
       {"`if` or `while`", "cond(t > 0", "1 + cast(t > 0, DType::f32)", "static_shapes_test.cc"}},
      {[](const Tensor& x) { return x * sum(x).item<float>(); },
       {"is read while", "run_eagerly", "static_shapes_test.cc"}},
  };
  for (const Row& row : table) {
    const auto f = function([&](const Tensor& x) { return row.body(x); });
    const std::string message = message_of([&] { f(outputs); });
    for (const std::string& part : row.parts)
      EXPECT_NE(message.find(part), std::string::npos) << part << " in:\n" << message;
  }
}

TEST(RunFunctionsEagerly, LetsTheCallableReadValues) {
  int calls = 0;
  auto f = function([&](const Tensor& x) {
    ++calls;
    return sum(x) > 10 ? x / 2.0 : x;
  });
  run_functions_eagerly(true);
  EXPECT_EQ(f(constant({4.f, 8.f})).literal(), Literal::of<float>({2, 4}));
  EXPECT_EQ(f(constant({1.f, 2.f})).literal(), Literal::of<float>({1, 2}));
  run_functions_eagerly(false);
  EXPECT_EQ(calls, 2);
  EXPECT_THROW(f(constant({1.f, 2.f})), FailedPrecondition);
}

}  // namespace
}  // namespace systolic
