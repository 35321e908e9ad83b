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

struct SoftmaxParts {
  Value x, largest, exponentials, sums, shares;
  Value weights;  // an argument of their shape
};

ir::Axes all_but_the_last(const Shape& shape) {
  ir::Axes axes;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) axes.push_back(axis);
  return axes;
}

SoftmaxParts softmax_of(Value x) {
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

// For an output's gradient by the scores; nothing flows back through their maximum, which the
// result does not depend on.
Value gradient(const SoftmaxParts& s, Value output, ir::ValueId arriving = ir::no_value) {
  std::vector<ir::ValueId> stopped{s.largest.id()};
  const ir::ValueId outputs[] = {output.id()}, sources[] = {s.x.id()};
  autodiff::GradientRequest request{.outputs = outputs, .sources = sources, .stopped = &stopped};
  if (arriving != ir::no_value) request.output_gradients = {&arriving, 1};
  Builder& b = s.x.builder();
  return b.value(autodiff::gradient(b, request)[0]);
}

// Something that is not an elementwise op reads the shares.
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
struct SoftmaxGradientCase {
  std::string what;
  std::function<Value(const SoftmaxParts&)> loss;
  bool joins = true;
  bool stores = false;  // a program divides, for others
};

ir::Module gradient_of(const SoftmaxGradientCase& c, const Shape& shape) {
  return make_module([&](Builder& b) {
    const SoftmaxParts softmax = softmax_of(b.argument({DType::f32, shape}));
    b.result(gradient(softmax, c.loss(softmax)));
  });
}

bool has_step(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const SoftmaxGradientCase softmax_gradients[] = {
    {"a product reads the shares", [](const SoftmaxParts& s) { return squares(product(s.shares)); },
     true, true},
    {"elementwise ops read them",
     [](const SoftmaxParts& s) { return squares(product(s.shares * 1.25)); }, true, true},
    {"nothing else reads them",
     [](const SoftmaxParts& s) { return sum_of_all(s.shares * s.weights); }},
    {"exponentials are differentiated, too",
     [](const SoftmaxParts& s) { return squares(product(s.shares)) + squares(s.exponentials); },
     false},
    {"sums are differentiated, too",
     [](const SoftmaxParts& s) { return squares(product(s.shares)) + squares(s.sums); }, false},
    {"scores are differentiated, too",
     [](const SoftmaxParts& s) { return squares(product(s.shares)) + squares(s.x); }, true, true},
};

// Three sums along a row or over all of them.
double softmax_tolerance(const Shape& shape) {
  return 10 + 3 * std::sqrt(static_cast<double>(shape.elements()));
}

TEST(SoftmaxGradient, IsTheInterpreters) {
  for (const SoftmaxGradientCase& c : softmax_gradients) {
    // Whole vectors and parts of one; and rows that no kernel takes.
    for (const Shape& shape :
         {Shape{400, 64}, Shape{2, 40, 100}, Shape{67, 33}, Shape{40, 15}, Shape{8, 2100}}) {
      const bool suits = shape[-1] >= 16 && shape[-1] <= 2048;
      const std::string what = str(c.what, ", ", shape.rank(), " axes, ", shape[-1], " last");
      const ir::Module module = gradient_of(c, shape);
      expect_same(module, softmax_tolerance(shape), what, {-1, 1});
      const std::string text = plan_summary(2, module).text;
      EXPECT_EQ(has_step(text, "softmax gradient f32["), suits && c.joins) << what << "\n" << text;
    }
  }
}

// Nobody stores shares for the gradient alone, nor makes them where nothing else reads them.
TEST(SoftmaxGradient, LeavesSharesToOthers) {
  for (const SoftmaxGradientCase& c : softmax_gradients) {
    if (!c.joins) continue;
    const std::string text = plan_summary(2, gradient_of(c, {400, 64})).text;
    EXPECT_EQ(has_step(text, "fused(divide"), c.stores) << c.what << "\n" << text;
  }
}

// Where others read the shares, too, they are what is stored until the gradient: one array beside
// what flows back, not two.
TEST(SoftmaxGradient, ReadsSharesThatAreStored) {
  const Shape shape{4000, 64};
  const ir::Module module = make_module([&](Builder& b) {
    const SoftmaxParts s = softmax_of(b.argument({DType::f32, shape}));
    const Value dx = gradient(s, squares(product(s.shares)));
    ir::DotAttributes rows;
    rows.lhs_contracting_dimensions = rows.rhs_contracting_dimensions = {0};
    b.result(ir::dot_general(s.shares, dx, rows));
  });
  const PlanSummary plan = plan_summary(2, module);
  EXPECT_TRUE(has_step(plan.text, "softmax gradient")) << plan.text;
  EXPECT_LT(plan.arena_bytes, shape.elements() * 4 * 5 / 2) << plan.text;
}

// A hand-written gradient, and what is not quite one.
enum class Miss {
  none,
  products_returned,
  negatives_returned,
  flow_returned,
  sums_returned,
  sum_returned,
  other_sums_of_shares,
  other_sums_of_flow,
  other_axis,
  maximum,
  along_columns,
  quotient,
  other_factor,
  transposed_gradient
};
std::string to_string(Miss miss) {
  constexpr const char* names[] = {"none",
                                   "products are returned",
                                   "negatives are returned",
                                   "what flows through the division is returned",
                                   "sums of rows are returned",
                                   "the sum is returned",
                                   "shares by other sums",
                                   "divided by other sums",
                                   "sums along another axis",
                                   "a maximum",
                                   "sums that are repeated along columns",
                                   "a quotient in the end",
                                   "another factor in the end",
                                   "a gradient that lies otherwise"};
  return names[static_cast<int>(miss)];
}

ir::Module near_miss(Miss miss) {
  constexpr int64_t n = 64;  // rows and columns
  const auto spread = [](Value v, int axis = 0) { return ir::broadcast_in_dim(v, {n, n}, {axis}); };
  return make_module([&](Builder& b) {
    const SoftmaxParts s = softmax_of(b.argument({DType::f32, {n, n}}));
    const Value others = ir::unary(OpCode::exponential, b.argument({DType::f32, {n}}));
    const Value given = s.weights;
    const Value g = miss == Miss::transposed_gradient ? ir::transpose(given, {1, 0}) : given;
    const Value shares =
        s.exponentials / spread(miss == Miss::other_sums_of_shares ? others : s.sums);
    const Value flow = g / spread(miss == Miss::other_sums_of_flow ? others : s.sums);
    const Value products = flow * shares, negatives = -products;
    const Value sums = miss == Miss::maximum
                           ? ir::reduce_max(negatives, {1})
                           : ir::reduce_sum(negatives, {miss == Miss::other_axis ? 0 : 1});
    const Value sum = flow + spread(sums, miss == Miss::along_columns ? 1 : 0);
    b.result(miss == Miss::quotient       ? sum / s.exponentials
             : miss == Miss::other_factor ? sum * spread(others)
                                          : sum * s.exponentials);
    b.result(product(shares));
    if (miss == Miss::products_returned) b.result(products);
    if (miss == Miss::negatives_returned) b.result(negatives);
    if (miss == Miss::flow_returned) b.result(flow);
    if (miss == Miss::sums_returned) b.result(sums);
    if (miss == Miss::sum_returned) b.result(sum);
  });
}

TEST(SoftmaxGradient, IsNothingLess) {
  for (int i = 0; i <= static_cast<int>(Miss::transposed_gradient); ++i) {
    const Miss miss = static_cast<Miss>(i);
    const ir::Module module = near_miss(miss);
    expect_same(module, softmax_tolerance({64, 64}), to_string(miss), {-1, 1});
    const std::string text = plan_summary(2, module).text;
    EXPECT_EQ(has_step(text, "softmax gradient"), miss == Miss::none) << to_string(miss) << "\n"
                                                                      << text;
  }
}

// The exponentials themselves arrive: what flows back through the division are the shares, which
// are read as both.
TEST(SoftmaxGradient, MayBeOfItsOwnExponentials) {
  const Shape shape{400, 64};
  const ir::Module module = make_module([&](Builder& b) {
    const SoftmaxParts s = softmax_of(b.argument({DType::f32, shape}));
    b.result(product(s.shares));
    b.result(gradient(s, s.shares, s.exponentials.id()));
  });
  expect_same(module, softmax_tolerance(shape), "its own", {-1, 1});
}

// A gradient whose parts a gradient of it reads is no such step.
TEST(SoftmaxGradient, HasGradientsItself) {
  const Shape shape{80, 32};
  const ir::Module module = make_module([&](Builder& b) {
    const SoftmaxParts s = softmax_of(b.argument({DType::f32, shape}));
    const Value dx = gradient(s, squares(product(s.shares)));
    b.result(dx);
    b.result(gradient(s, squares(dx)));
  });
  expect_same(module, 4 * softmax_tolerance(shape), "twice", {-1, 1});
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
               const SoftmaxParts s = softmax_of(v[1]);
               const Value dx = gradient(s, squares(ir::dot(s.shares, weights)));
               return std::vector<Value>{v[0] - 1.0, v[1] - dx};
             })) {
      b.result(v);
    }
  });
  EXPECT_TRUE(has_step(plan_summary(2, module).text, "softmax gradient f32["));
  expect_same(module, softmax_tolerance(shape), "a loop", {-1, 1});
}

}  // namespace
}  // namespace systolic
