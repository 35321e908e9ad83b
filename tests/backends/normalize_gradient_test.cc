// What flows back through a normalization of rows as one step, with sums of columns and without.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "systolic/autodiff/gradient.h"
#include "systolic/base/text.h"
#include "tests/backends/compare.h"
#include "tests/backends/normal.h"
#include "tests/backends/run_planned.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::Value;

struct Case {
  std::string what;
  std::function<Value(const Normal&)> y;
  bool joins = true;                                // the gradient is one step
  std::function<Value(const Normal&)> also = {};    // added to y
  std::function<Value(const Normal&)> result = {};  // another result, not differentiated
};

const Case cases[] = {
    {"scale and offset", affine},
    {"a scale", [](const Normal& n) { return n.normalized * n.per_column(n.scale); }},
    {"an offset", [](const Normal& n) { return n.normalized + n.per_column(n.offset); }},
    {"neither", [](const Normal& n) { return n.normalized; }},
    {"a scale that is written first",
     [](const Normal& n) { return n.per_column(n.scale) * n.normalized + n.per_column(n.offset); }},
    {"a residual connection", affine, true, [](const Normal& n) { return n.x; }},
    {"its square, too", affine, true, [](const Normal& n) { return affine(n) * affine(n); }},
    {"normalized rows are a result",
     affine,
     true,
     {},
     [](const Normal& n) { return n.normalized; }},
    {"centered rows are a result", affine, true, {}, [](const Normal& n) { return n.centered; }},
    {"deviations are a result", affine, true, {}, [](const Normal& n) { return n.inverse; }},
    {"centered rows are differentiated, too", affine, false,
     [](const Normal& n) { return n.centered; }},
    {"deviations are differentiated, too", affine, false,
     [](const Normal& n) { return n.per_row(n.inverse); }},
};

// Gradients of sum(y * weights) for x, the scale and the offset.
ir::Module gradients_of(const Case& c, const Shape& shape) {
  return make_module([&](Builder& b) {
    const Value x = b.argument({DType::f32, shape}), weights = b.argument({DType::f32, shape});
    Normal n = normal_of(x, 1 / static_cast<double>(shape[-1]));
    n.scale = b.argument({DType::f32, {shape[-1]}});
    n.offset = b.argument({DType::f32, {shape[-1]}});
    Value y = c.y(n);
    if (c.also) y = y + c.also(n);
    ir::Axes all;
    for (int axis = 0; axis < shape.rank(); ++axis) all.push_back(axis);
    const ir::ValueId outputs[] = {ir::reduce_sum(y * weights, all).id()};
    const ir::ValueId sources[] = {x.id(), n.scale.id(), n.offset.id()};
    for (const ir::ValueId id : autodiff::gradient(b, {.outputs = outputs, .sources = sources})) {
      if (id != ir::no_value) b.result(b.value(id));
    }
    if (c.result) b.result(c.result(n));
  });
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Ten roundings on the way, and three sums along a row; sums of columns lose as much along theirs.
double tolerance(const Shape& shape) {
  const auto columns = static_cast<double>(shape[-1]);
  const double rows = static_cast<double>(shape.elements()) / columns;
  return 10 + 3 * std::sqrt(columns) + std::sqrt(rows);
}

TEST(NormalizeGradient, IsTheInterpreters) {
  for (const Case& c : cases) {
    // With sums of columns of 50 and 10 rows each, and of too few rows for any; by parts of a
    // vector; and of rows that no kernel takes.
    for (const Shape& shape : {Shape{400, 64}, Shape{2, 40, 100}, Shape{6, 7, 48}, Shape{67, 33},
                               Shape{40, 15}, Shape{8, 5000}}) {
      const bool suits = shape[-1] >= 16 && shape[-1] <= 4096;
      const std::string what = str(c.what, ", ", shape.rank(), " axes, ", shape[-1], " last");
      const ir::Module module = gradients_of(c, shape);
      expect_same(module, tolerance(shape), what, {-1, 1});
      const std::string text = plan_summary(2, module).text;
      EXPECT_EQ(holds(text, "normalization gradient f32["), suits && c.joins) << what << "\n"
                                                                              << text;
    }
  }
}

// Partial sums are added up after the rows' own step.
TEST(NormalizeGradient, SumsColumnsWithTheRows) {
  struct {
    Shape shape;
    std::string sums;  // of columns, of this many partial sums
  } const shapes[] = {{{400, 64}, "sums of columns of f32[8,64]"},
                      {{2, 40, 100}, "sums of columns of f32[8,100]"},
                      {{8192, 16}, "sums of columns of f32[16,16]"},
                      {{42, 48}, ""},
                      {{8 * 61, 32}, "sums of columns of f32[8,32]"},
                      {{2 * 521, 32}, ""}};  // rows that nothing near divides
  for (const auto& s : shapes) {
    const std::string text = plan_summary(2, gradients_of(cases[0], s.shape)).text;
    const std::string what = str(s.shape, "\n", text);
    EXPECT_EQ(holds(text, "sums of columns of"), !s.sums.empty()) << what;
    EXPECT_TRUE(holds(text, s.sums)) << what;
    EXPECT_EQ(holds(text, "reduce of"), s.sums.empty()) << what;
  }
}

// Normalized rows are made again where nothing but the gradient reads them, whoever made them: the
// normalization, or a program that goes on with them.
TEST(NormalizeGradient, StoresNormalizedRowsForOthersAlone) {
  const Shape shape{400, 64};
  double moved[] = {0, 0};  // more, in arrays, where others read them
  for (const auto& [others, goes_on] :
       {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
    const ir::Module module = make_module([&, others = others, goes_on = goes_on](Builder& b) {
      Normal n = normal_of(b.argument({DType::f32, shape}), 1.0 / 64);
      n.scale = b.argument({DType::f32, {64}});
      n.offset = b.argument({DType::f32, {64}});
      const Value y = affine(n);
      const Value stored = goes_on ? ir::convert(y, DType::bf16) : y;
      b.result(stored);
      // The gradient comes after it.
      b.result(ir::reduce_max(others ? n.normalized : stored, {0, 1}));
      const ir::Parameter over_dx{.name = "dy", .aliases_result = 2};
      const ir::ValueId outputs[] = {y.id()};
      const ir::ValueId arriving[] = {b.argument({DType::f32, shape}, over_dx).id()};
      const ir::ValueId sources[] = {n.x.id(), n.scale.id(), n.offset.id()};
      for (const ir::ValueId id : autodiff::gradient(
               b, {.outputs = outputs, .output_gradients = arriving, .sources = sources})) {
        b.result(b.value(id));
      }
    });
    const std::string what = str("others read them: ", others, ", rounded: ", goes_on);
    expect_same(module, 8 * tolerance(shape), what, {-1, 1});
    // The centered rows lie in the arena, and little else; and no step writes the normalized ones.
    const int64_t bytes = shape.elements() * int64_t{sizeof(float)};
    const PlanSummary plan = plan_summary(2, module);
    EXPECT_EQ(plan.arena_bytes > 3 * bytes / 2, others) << what << "\n" << plan.text;
    moved[goes_on ? 1 : 0] += (others ? 1 : -1) * plan.moved_bytes / static_cast<double>(bytes);
  }
  EXPECT_GT(moved[0], 0.9);
  EXPECT_GT(moved[1], 1.4);  // what is read instead is half as large
}

// A sum of columns that is read before all of the gradient is there is no part of its step.
TEST(NormalizeGradient, LeavesSumsThatAreReadEarlyApart) {
  const Shape shape{80, 32};
  for (const bool by_view : {false, true}) {
    const ir::Module module = make_module([&](Builder& b) {
      Normal n = normal_of(b.argument({DType::f32, shape}), 1.0 / 32);
      const ir::ValueId dy = b.argument({DType::f32, shape}).id();
      n.scale = b.argument({DType::f32, {32}});
      n.offset = b.argument({DType::f32, {32}});
      const ir::ValueId outputs[] = {affine(n).id(), (n.x + 1.0).id()};
      const ir::ValueId to_offset[] = {n.offset.id()}, to_x[] = {n.x.id()};
      ir::ValueId arriving[] = {dy, ir::no_value};
      const ir::ValueId sums = autodiff::gradient(
          b, {.outputs = outputs, .output_gradients = arriving, .sources = to_offset})[0];
      const Value repeated = n.per_column(b.value(sums));
      arriving[1] = by_view ? repeated.id() : (repeated * 0.5).id();
      b.result(b.value(autodiff::gradient(
          b, {.outputs = outputs, .output_gradients = arriving, .sources = to_x})[0]));
      b.result(b.value(sums));
    });
    const std::string what = str("through a view: ", by_view);
    expect_same(module, tolerance(shape), what, {-1, 1});
    const std::string text = plan_summary(2, module).text;
    EXPECT_TRUE(holds(text, "normalization gradient f32[")) << what << "\n" << text;
    EXPECT_FALSE(holds(text, "sums of columns")) << what << "\n" << text;
  }
}

// Through the normalization and beside it the same flows back, which is not written over.
TEST(NormalizeGradient, MayReadOneArrayTwice) {
  const Shape shape{400, 64};
  const ir::Module module = make_module([&](Builder& b) {
    Normal n = normal_of(b.argument({DType::f32, shape}), 1.0 / 64);
    n.scale = b.argument({DType::f32, {64}});
    n.offset = b.argument({DType::f32, {64}});
    const Value product =
        ir::dot(b.argument({DType::f32, {400, 4}}), b.argument({DType::f32, {4, 64}}));
    const ir::ValueId outputs[] = {affine(n).id(), (n.x + 1.0).id()};
    const ir::ValueId arriving[] = {product.id(), product.id()}, sources[] = {n.x.id()};
    b.result(b.value(autodiff::gradient(
        b, {.outputs = outputs, .output_gradients = arriving, .sources = sources})[0]));
  });
  EXPECT_TRUE(holds(plan_summary(2, module).text, "normalization gradient f32["));
  expect_same(module, 4 * tolerance(shape), "one array", {-1, 1});
}

// Normalized rows that flow back through another normalization, or beside it, are read as they are.
TEST(NormalizeGradient, ReadsNormalizedRowsOfOthers) {
  const Shape shape{400, 64};
  for (const bool beside : {false, true}) {
    const ir::Module module = make_module([&](Builder& b) {
      Normal first = normal_of(b.argument({DType::f32, shape}), 1.0 / 64);
      Normal second = normal_of(b.argument({DType::f32, shape}), 1.0 / 64);
      first.scale = second.scale = b.argument({DType::f32, {64}});
      first.offset = second.offset = b.argument({DType::f32, {64}});
      b.result(affine(first));
      const ir::ValueId dy = b.argument({DType::f32, shape}).id();
      const ir::ValueId rows = first.normalized.id();
      const ir::ValueId outputs[] = {affine(second).id(), (second.x + 1.0).id()};
      const ir::ValueId arriving[] = {beside ? dy : rows, beside ? rows : dy};
      const ir::ValueId sources[] = {second.x.id()};
      b.result(b.value(autodiff::gradient(
          b, {.outputs = outputs, .output_gradients = arriving, .sources = sources})[0]));
    });
    EXPECT_TRUE(holds(plan_summary(2, module).text, "normalization gradient f32["));
    expect_same(module, 4 * tolerance(shape), str("beside it: ", beside), {-1, 1});
  }
}

// A gradient whose parts a gradient of it reads is no such step.
TEST(NormalizeGradient, HasGradientsItself) {
  const Shape shape{80, 32};
  const ir::Module module = make_module([&](Builder& b) {
    const Value x = b.argument({DType::f32, shape}), weights = b.argument({DType::f32, shape});
    Normal n = normal_of(x, 1.0 / 32);
    n.scale = b.argument({DType::f32, {32}});
    n.offset = b.argument({DType::f32, {32}});
    const Value y = affine(n);
    ir::ValueId outputs[] = {ir::reduce_sum(y * y * weights, {0, 1}).id()};
    const ir::ValueId sources[] = {x.id()};
    const Value dx = b.value(autodiff::gradient(b, {.outputs = outputs, .sources = sources})[0]);
    b.result(dx);
    outputs[0] = ir::reduce_sum(dx * dx, {0, 1}).id();
    b.result(b.value(autodiff::gradient(b, {.outputs = outputs, .sources = sources})[0]));
  });
  EXPECT_FALSE(holds(plan_summary(2, module).text, "normalization gradient f32["));
  expect_same(module, 4 * tolerance(shape), "twice", {-1, 1});
}

// In the body of a loop.
TEST(NormalizeGradient, RunsInLoops) {
  const Shape shape{400, 64};
  const ir::Module module = make_module([&](Builder& b) {
    const Value weights = b.argument({DType::f32, shape});
    const Value initial[] = {b.filled(DType::i32, {}, 3), b.argument({DType::f32, shape}),
                             b.argument({DType::f32, {64}}), b.argument({DType::f32, {64}})};
    for (Value v : ir::while_loop(
             initial,
             [](std::span<const Value> v) { return ir::compare(v[0], 0, ir::Direction::gt); },
             [&](std::span<const Value> v) {
               Normal n = normal_of(v[1], 1.0 / 64);
               n.scale = v[2];
               n.offset = v[3];
               const ir::ValueId outputs[] = {ir::reduce_sum(affine(n) * weights, {0, 1}).id()};
               const ir::ValueId sources[] = {n.x.id(), n.scale.id(), n.offset.id()};
               const auto gradients =
                   autodiff::gradient(b, {.outputs = outputs, .sources = sources});
               return std::vector<Value>{v[0] - 1.0, v[1] - b.value(gradients[0]),
                                         v[2] - b.value(gradients[1]) * 1e-2,
                                         v[3] - b.value(gradients[2]) * 1e-2};
             })) {
      b.result(v);
    }
  });
  EXPECT_TRUE(holds(plan_summary(2, module).text, "normalization gradient f32["));
  expect_same(module, 8 * tolerance(shape), "a loop", {-1, 1});
}

}  // namespace
}  // namespace systolic
