#include <gtest/gtest.h>

#include "systolic/autodiff/numeric_gradient.h"
#include "systolic/autodiff/rules/formula.h"
#include "systolic/base/error.h"
#include "systolic/core/test_literals.h"

namespace systolic {
namespace {

using namespace autodiff;
using ir::Axes;
using ir::OpCode;
using ir::Value;
using ir::WindowAttributes;
using Values = std::span<const Value>;

TEST(ReductionGradient, Reduce) {
  const std::vector<Literal> inputs{random_array({2, 3, 4}, 1, 0.5, 2)};
  for (OpCode code : {OpCode::add, OpCode::maximum, OpCode::minimum, OpCode::multiply}) {
    for (const Axes& axes :
         {Axes{0}, Axes{1}, Axes{2}, Axes{0, 2}, Axes{2, 1}, Axes{0, 1, 2}, Axes{}}) {
      expect_gradients(str(ir::info(code).name, " over ", join(axes)), inputs, [&](Values x) {
        const Value y = reduce(x[0], code, axes);
        return y * y;
      });
    }
  }
}

TEST(ReductionGradient, InitialValueOfASum) {
  expect_gradients("initial", std::vector<Literal>{random_array({2, 3}, 1), random_array({}, 2)},
                   [](Values x) {
                     std::vector<ir::Block> body;
                     body.push_back(x[0].builder().fold_region(OpCode::add, DType::f64));
                     return x[0].builder().append_one(OpCode::reduce, {x[0], x[1]},
                                                      ir::AxesAttributes{{1}}, body);
                   });
}

TEST(ReductionGradient, TiesShareEqually) {
  const std::vector<Literal> inputs{Literal::of<double>({2, 5, 5, 1, 5})};
  const auto found = gradients_of(inputs, [](Values x) { return reduce_max(x[0], {0}) * 3.0; });
  EXPECT_EQ(numbers(found[0]), (std::vector<double>{0, 1, 1, 0, 1}));
}

TEST(ReductionGradient, AProductWithZeros) {
  const std::vector<Literal> inputs{Literal::of<double>({{2, 0, 3}, {0, 4, 0}})};
  const auto found =
      gradients_of(inputs, [](Values x) { return reduce(x[0], OpCode::multiply, {1}); });
  EXPECT_EQ(numbers(found[0]), (std::vector<double>{0, 6, 0, 0, 0, 0}));
}

TEST(ReductionGradient, AnotherBodyHasNone) {
  const auto program = [](Values x) {
    const std::vector<ir::Type> scalars(2, ir::Type{DType::f64, {}});
    std::vector<ir::Block> body;
    body.push_back(x[0].builder().region(
        scalars, [](Values s) -> std::vector<Value> { return {s[0] * 0.5 + s[1]}; }));
    return x[0].builder().append_one(OpCode::reduce,
                                     {x[0], x[0].builder().constant(Literal::scalar(0.0))},
                                     ir::AxesAttributes{{0}}, body);
  };
  EXPECT_THROW(gradients_of(std::vector<Literal>{random_array({3}, 1)}, program), Unimplemented);
}

struct WindowCase {
  std::string name;
  Shape shape;
  WindowAttributes window;
};

std::vector<WindowCase> plain_windows() {
  return {{"pooling", {4, 6}, {{2, 3}, {2, 3}, {1, 1}, {1, 1}, {{0, 0}, {0, 0}}}},
          {"global", {3, 4}, {{3, 4}, {1, 1}, {1, 1}, {1, 1}, {{0, 0}, {0, 0}}}},
          {"with a rest", {5, 7}, {{2, 3}, {2, 3}, {1, 1}, {1, 1}, {{0, 0}, {0, 0}}}},
          {"overlapping", {5, 4}, {{3, 2}, {1, 1}, {1, 1}, {1, 1}, {{0, 0}, {0, 0}}}},
          {"padded", {4, 4}, {{3, 3}, {2, 2}, {1, 1}, {1, 1}, {{1, 1}, {0, 1}}}},
          {"running", {6}, {{6}, {1}, {1}, {1}, {{5, 0}}}},
          {"holes between windows", {7}, {{2}, {3}, {1}, {1}, {{0, 0}}}},
          {"input dilated", {4}, {{3}, {2}, {2}, {1}, {{1, 1}}}}};
}

TEST(ReductionGradient, SumOfWindows) {
  std::vector<WindowCase> cases = plain_windows();
  cases.push_back({"window dilated", {7}, {{3}, {1}, {1}, {2}, {{1, 2}}}});
  cases.push_back({"padding wider than the window", {3}, {{2}, {1}, {1}, {1}, {{4, 3}}}});
  cases.push_back({"negative padding", {6}, {{2}, {1}, {1}, {1}, {{-1, -2}}}});
  cases.push_back({"dilated both", {5}, {{2}, {3}, {2}, {3}, {{2, 1}}}});
  for (const WindowCase& c : cases) {
    expect_gradients(c.name, std::vector<Literal>{random_array(c.shape, 1)}, [&](Values x) {
      const Value y = reduce_window(x[0], OpCode::add, c.window);
      return y * y;
    });
  }
}

TEST(ReductionGradient, ExtremumOfWindows) {
  for (const WindowCase& c : plain_windows()) {
    for (OpCode code : {OpCode::maximum, OpCode::minimum}) {
      expect_gradients(str(c.name, " ", ir::info(code).name),
                       std::vector<Literal>{random_array(c.shape, 4)},
                       [&](Values x) { return reduce_window(x[0], code, c.window); });
    }
  }
}

TEST(ReductionGradient, FirstOfSeveralLargestInAWindow) {
  const std::vector<Literal> inputs{Literal::of<double>({1, 1, 2, 2})};
  const auto found = gradients_of(inputs, [](Values x) {
    return reduce_window(x[0], OpCode::maximum, {{2}, {2}, {}, {}, {}});
  });
  EXPECT_EQ(numbers(found[0]), (std::vector<double>{1, 0, 1, 0}));
}

TEST(ReductionGradient, SelectAndScatter) {
  const WindowAttributes window{{2, 2}, {2, 1}, {}, {}, {{0, 0}, {1, 0}}};
  const Literal where = random_array({4, 3}, 1), source = random_array({2, 3}, 2);
  expect_gradients("source", std::vector<Literal>{source}, [&](Values x) {
    const Value y = select_and_scatter(x[0].builder().constant(where), x[0], window);
    return y * y;
  });
  expect_gradients("both", std::vector<Literal>{where, source},
                   [&](Values x) { return select_and_scatter(x[0], x[1], window); });
}

TEST(ReductionGradient, DilatedMaximumHasNone) {
  const auto program = [](Values x) {
    return reduce_window(x[0], OpCode::maximum, {{2}, {1}, {1}, {2}, {{0, 0}}});
  };
  EXPECT_THROW(gradients_of(std::vector<Literal>{random_array({6}, 1)}, program), Unimplemented);
}

// Average pooling's gradient repeats; it does not slide windows again.
TEST(ReductionGradient, PoolingNeedsNoWindowsBackwards) {
  const std::vector<Literal> inputs{random_array({4, 4}, 1)};
  const ir::Module module = build_module(inputs, [](Values x) -> std::vector<Value> {
    const Value y = reduce_window(x[0], OpCode::add, {{2, 2}, {2, 2}, {}, {}, {}});
    return {gradient_of(y, x[0])};
  });
  int windows = 0;
  for (const ir::Op& op : module.main().body.ops) windows += op.code == OpCode::reduce_window;
  EXPECT_EQ(windows, 1);
}

}  // namespace
}  // namespace systolic
