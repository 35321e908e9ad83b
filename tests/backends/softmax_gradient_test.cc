// What flows back through a softmax as one step, which makes its quotients again.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "systolic/autodiff/gradient.h"
#include "systolic/base/text.h"
#include "tests/backends/compare.h"
#include "tests/backends/run_planned.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

struct Softmax {
  Value x, largest, exponentials, sums, shares;
  Value weights;  // an argument of their shape
};

ir::Axes all_but_the_last(const Shape& shape) {
  ir::Axes axes;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) axes.push_back(axis);
  return axes;
}

Softmax softmax_of(Value x) {
  const Shape& shape = x.shape();
  const ir::Axes last{shape.rank() - 1};
  const auto spread = [&](Value v) {
    return ir::broadcast_in_dim(v, shape, all_but_the_last(shape));
  };
  const Value largest = ir::reduce_max(x, last);
  const Value e = ir::unary(OpCode::exponential, x - spread(largest));
  const Value sums = ir::reduce_sum(e, last);
  return {x, largest, e, sums, e / spread(sums), x.builder().argument({DType::f32, shape})};
}

// Of an output for the scores; nothing flows back through their maximum, which the result does not
// depend on.
Value gradient(const Softmax& s, Value output, ir::ValueId arriving = ir::no_value) {
  std::vector<ir::ValueId> stopped{s.largest.id()};
  const ir::ValueId outputs[] = {output.id()}, sources[] = {s.x.id()};
  autodiff::GradientRequest request{.outputs = outputs, .sources = sources, .stopped = &stopped};
  if (arriving != ir::no_value) request.output_gradients = {&arriving, 1};
  Builder& b = s.x.builder();
  return b.value(autodiff::gradient(b, request)[0]);
}

// Something that is no elementwise op reads the shares.
Value product(Value shares) {
  const Shape& shape = shares.shape();
  const Value matrix = ir::reshape(shares, {shape.elements() / shape[-1], shape[-1]});
  return ir::dot(matrix, shares.builder().argument({DType::f32, {shape[-1], 4}}));
}

Value sum_of_all(Value x) {
  ir::Axes all;
  for (int axis = 0; axis < x.shape().rank(); ++axis) all.push_back(axis);
  return ir::reduce_sum(x, all);
}

Value squares(Value x) { return sum_of_all(x * x); }

// Gradients of `loss` for x.
struct Case {
  std::string what;
  std::function<Value(const Softmax&)> loss;
  bool joins = true;
};

ir::Module gradient_of(const Case& c, const Shape& shape) {
  return make_module([&](Builder& b) {
    const Softmax softmax = softmax_of(b.argument({DType::f32, shape}));
    b.result(gradient(softmax, c.loss(softmax)));
  });
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const Case cases[] = {
    {"a product reads the shares", [](const Softmax& s) { return squares(product(s.shares)); }},
    {"elementwise ops read them", [](const Softmax& s) { return squares(s.shares * 1.25); }},
    {"nothing else reads them", [](const Softmax& s) { return sum_of_all(s.shares * s.weights); }},
    {"exponentials are differentiated, too",
     [](const Softmax& s) { return squares(product(s.shares)) + squares(s.exponentials); }, false},
    {"sums are differentiated, too",
     [](const Softmax& s) { return squares(product(s.shares)) + squares(s.sums); }, false},
    {"scores are differentiated, too",
     [](const Softmax& s) { return squares(product(s.shares)) + squares(s.x); }},
};

// Three sums along a row or over all of them.
double tolerance(const Shape& shape) {
  return 10 + 3 * std::sqrt(static_cast<double>(shape.elements()));
}

TEST(SoftmaxGradient, IsTheInterpreters) {
  for (const Case& c : cases) {
    // Whole vectors and parts of one; and rows that no kernel takes.
    for (const Shape& shape :
         {Shape{400, 64}, Shape{2, 40, 100}, Shape{67, 33}, Shape{40, 15}, Shape{8, 2100}}) {
      const bool suits = shape[-1] >= 16 && shape[-1] <= 2048;
      const std::string what = str(c.what, ", ", shape.rank(), " axes, ", shape[-1], " last");
      const ir::Module module = gradient_of(c, shape);
      expect_same(module, tolerance(shape), what, {-1, 1});
      const std::string text = plan_summary(2, module).text;
      EXPECT_EQ(holds(text, "softmax gradient f32["), suits && c.joins) << what << "\n" << text;
    }
  }
}

// What waits for the gradient are the exponentials and their sums. The shares do where a product
// reads them as they are; behind dropout it is what is kept of them.
TEST(SoftmaxGradient, StoresSharesForOthersAlone) {
  const Shape shape{64, 64, 64};
  for (const bool others : {false, true}) {
    const ir::Module module = make_module([&](Builder& b) {
      const Softmax s = softmax_of(b.argument({DType::f32, shape}));
      const Value kept = s.shares * s.weights;
      const Value read = product(kept);
      b.result(read);
      if (others) b.result(product(s.shares));
      b.result(gradient(s, squares(read)));
    });
    expect_same(module, tolerance(shape), str("others read them: ", others), {-1, 1});
    const PlanSummary plan = plan_summary(2, module);
    EXPECT_TRUE(holds(plan.text, "softmax gradient f32[")) << plan.text;
    const int64_t array = shape.elements() * int64_t{sizeof(float)};
    EXPECT_EQ(plan.arena_bytes > 5 * array / 2, others) << plan.text;
  }
}

// The exponentials themselves arrive: what flows back through the division are the shares, which
// are read as both.
TEST(SoftmaxGradient, MayBeOfItsOwnExponentials) {
  const Shape shape{400, 64};
  const ir::Module module = make_module([&](Builder& b) {
    const Softmax s = softmax_of(b.argument({DType::f32, shape}));
    b.result(product(s.shares));
    b.result(gradient(s, s.shares, s.exponentials.id()));
  });
  expect_same(module, tolerance(shape), "its own", {-1, 1});
}

// A gradient whose parts a gradient of it reads is no such step.
TEST(SoftmaxGradient, HasGradientsItself) {
  const Shape shape{80, 32};
  const ir::Module module = make_module([&](Builder& b) {
    const Softmax s = softmax_of(b.argument({DType::f32, shape}));
    const Value dx = gradient(s, squares(product(s.shares)));
    b.result(dx);
    b.result(gradient(s, squares(dx)));
  });
  expect_same(module, 4 * tolerance(shape), "twice", {-1, 1});
}

// In the body of a loop.
TEST(SoftmaxGradient, RunsInLoops) {
  const Shape shape{400, 64};
  const ir::Module module = make_module([&](Builder& b) {
    const Value weights = b.argument({DType::f32, {64, 4}});
    const Value initial[] = {b.filled(DType::i32, {}, 3), b.argument({DType::f32, shape})};
    for (Value v : ir::while_loop(
             initial,
             [](std::span<const Value> v) { return ir::compare(v[0], 0, ir::Direction::gt); },
             [&](std::span<const Value> v) {
               const Softmax s = softmax_of(v[1]);
               const Value dx = gradient(s, squares(ir::dot(s.shares, weights)));
               return std::vector<Value>{v[0] - 1.0, v[1] - dx};
             })) {
      b.result(v);
    }
  });
  EXPECT_TRUE(holds(plan_summary(2, module).text, "softmax gradient f32["));
  expect_same(module, tolerance(shape), "a loop", {-1, 1});
}

}  // namespace
}  // namespace systolic
