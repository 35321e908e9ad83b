// Branches and loops, inside functions and outside.
#include "systolic/trace/ops/control_flow.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/base/test_errors.h"
#include "systolic/trace/function/function.h"
#include "systolic/trace/gradient_tape.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"
#include "systolic/trace/ops/slice_update.h"
#include "systolic/trace/variable.h"

namespace systolic {
namespace {

TEST(ControlFlow, CondAssignsVariables) {
  Variable v(constant(1.f));
  auto f = function([&](const Tensor& x) {
    return cond(
        x > 0,
        [&] {
          v.assign_add(x);
          return x * 2;
        },
        [&] { return -x; });
  });
  EXPECT_EQ(f(constant(3.f)).item<float>(), 6);
  EXPECT_EQ(v.item<float>(), 4);
  EXPECT_EQ(f(constant(-3.f)).item<float>(), 3);
  EXPECT_EQ(v.item<float>(), 4);
}

// What a loop carries is found in branches and loops in it, however deep its first use is.
TEST(ControlFlow, LoopsCarryWhatABranchInThemIsTheFirstToUse) {
  Variable v(constant(1.f)), w(constant(0.f));
  auto f = function([&](const Tensor& count) {
    for_range(count, [&](const Tensor& i) {
      cond(
          i % 2 == 0,
          [&] {
            for_range(2, [&](const Tensor&) { w.assign_add(v); });
            v.assign(v + v);
            return Tensors{};
          },
          [&] { return Tensors{}; });
    });
  });
  f(constant(5));  // three times: v doubles, and w grows by twice what it was
  EXPECT_EQ(v.item<float>(), 8);
  EXPECT_EQ(w.item<float>(), 2 * (1 + 2 + 4));
}

TEST(ControlFlow, LoopsCarryVariablesAndKeepWhatWasReadBefore) {
  Variable v(constant(1.f));
  auto f = function([&](const Tensor& count) {
    const Tensor before = v.value();
    for_range(count, [&](const Tensor&) { v.assign_add(before); });
    return v.value();
  });
  EXPECT_EQ(f(constant(5)).item<float>(), 6);
  EXPECT_EQ(f(constant(2)).item<float>(), 18);
  EXPECT_EQ(f.traces(), 1u);
}

TEST(ControlFlow, MoreRoundsThanInt32CountsAreRefused) {
  const int64_t many = (int64_t{1} << 32) + 1;
  int rounds = 0;
  const auto count = [&](const Tensor&) { ++rounds; };
  expect_parts(error_of([&] { for_range(many, count); }),
               {"InvalidArgument", "for_range of 4294967297 rounds", "at most 2147483647"});
  const auto once = [&] {
    while_loop(
        {constant(0)}, [](const Tensors& s) { return s[0] < 1; },
        [](const Tensors& s) { return Tensors{s[0] + 1}; }, {.max_iterations = many});
  };
  expect_parts(error_of(once), {"while_loop of 4294967297 rounds"});
  EXPECT_EQ(rounds, 0);
}

TEST(ControlFlow, BoundedLoopsHaveGradients) {
  auto f = [](const Tensor& x) {
    return while_loop(
        {x, constant(0)}, [](const Tensors& s) { return s[1] < 3; },
        [&](const Tensors& s) {
          return Tensors{s[0] * x, s[1] + 1};
        },
        {.max_iterations = 5})[0];
  };
  EXPECT_FLOAT_EQ(grad(f)(constant(2.f)).item<float>(), 4 * 8);  // x^4
}

// A row of x at each round, written to a row of the state: y = x^2, dy/dx = 2 x.
TEST(ControlFlow, CountedLoopsWithAStateHaveGradients) {
  const auto squares = [](const Tensor& x) {
    const Tensors last = for_range(3, {x * 0}, [&](const Tensor& i, const Tensors& state) {
      const Tensor row = x[{i}];
      return Tensors{slice_update(state[0], {i}, reshape(row * row, {1}))};
    });
    return last[0];
  };
  const Tensor x = constant({1.f, 2.f, 3.f});
  EXPECT_EQ(squares(x).literal(), Literal::of<float>({1, 4, 9}));
  GradientTape tape;
  tape.watch(x);
  EXPECT_EQ(tape.gradient(sum(squares(x)), x).literal(), Literal::of<float>({2, 4, 6}));
}

// v = v * x three times: the assignments stop the gradient, a tape inside the body has its own.
TEST(ControlFlow, CountedLoopsDifferentiateInsideTheirBody) {
  const Tensor x = constant(2.f);
  Variable v(constant(5.f)), slope(constant(0.f));
  GradientTape tape;
  tape.watch(x);
  for_range(3, [&](const Tensor&) {
    GradientTape inner;
    const Tensor product = v.value() * x * x;
    slope.assign_add(inner.gradient(product, v));
    v.assign(v.value() * x);
  });
  EXPECT_FLOAT_EQ(tape.gradient(v.value() * x, x).item<float>(), 40);  // v alone, as it stands
  EXPECT_FLOAT_EQ(v.item<float>(), 40);
  EXPECT_FLOAT_EQ(slope.item<float>(), 12);
}

}  // namespace
}  // namespace systolic
