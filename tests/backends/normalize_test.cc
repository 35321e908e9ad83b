// Normalization of rows as one step, with what is stored of it and what is not.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "systolic/autodiff/gradient.h"
#include "systolic/base/text.h"
#include "tests/backends/compare.h"
#include "tests/backends/normal.h"
#include "tests/backends/run_planned.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

struct Case {
  std::string what;
  std::function<Value(const Normal&)> result;
  bool joins = true;
  std::function<Value(const Normal&)> also = {};  // another result
};

Value of_rows(Value x) { return ir::reduce_max(x, {x.shape().rank() - 1}); }

const Case cases[] = {
    {"scale and offset", affine},
    {"neither", [](const Normal& n) { return n.normalized; }},
    {"a scale", [](const Normal& n) { return n.normalized * n.per_column(n.scale); }},
    {"an offset", [](const Normal& n) { return n.per_column(n.offset) + n.normalized; }},
    {"a number for each row instead",
     [](const Normal& n) { return n.normalized * n.per_row(of_rows(n.x)); }},
    {"an offset before the scale",
     [](const Normal& n) {
       return (n.normalized + n.per_column(n.offset)) * n.per_column(n.scale);
     }},
    {"ops that go on", [](const Normal& n) { return ir::unary(OpCode::tanh, affine(n)); }},
    {"its own square", [](const Normal& n) { return n.normalized * n.normalized; }},
    {"centered rows, too", affine, true, [](const Normal& n) { return n.centered; }},
    {"inverse deviations, too", affine, true, [](const Normal& n) { return n.inverse; }},
    {"normalized rows, too", affine, true, [](const Normal& n) { return n.normalized; }},
    {"what is read itself, too", affine, true, [](const Normal& n) { return n.x * 2.0; }},
    {"the scaled rows, too", affine, true,
     [](const Normal& n) { return of_rows(n.normalized * n.per_column(n.scale)); }},
    {"inverse deviations alone", [](const Normal& n) { return n.inverse; }},
    {"the mean is read, too", affine, false, [](const Normal& n) { return n.mean; }},
};

ir::Module normalization(const Case& c, const Shape& shape, bool keeps_axis) {
  return make_module([&](Builder& b) {
    const int last = shape.rank() - 1;
    const Shape narrow =
        keeps_axis ? shape.with_inserted(last, 1).without(shape.rank()) : shape.without(last);
    const Value argument = b.argument({DType::f32, shape});
    Normal n{.x = argument + argument * 0.5};
    const double factor = 1 / static_cast<double>(shape[last]);
    const auto mean = [&](Value v) {
      return ir::reshape(ir::reduce_sum(v, {last}), narrow) * factor;
    };
    const auto spread = [&](Value v) {
      ir::Axes axes = n.kept();
      if (keeps_axis) axes.push_back(last);
      return ir::broadcast_in_dim(v, shape, axes);
    };
    n.scale = b.argument({DType::f32, {shape[last]}});
    n.offset = b.argument({DType::f32, {shape[last]}});
    n.mean = mean(n.x);
    n.centered = n.x - spread(n.mean);
    n.inverse = ir::unary(OpCode::rsqrt, mean(n.centered * n.centered) + 1e-3);
    n.normalized = n.centered * spread(n.inverse);
    b.result(c.result(n));
    if (c.also) b.result(c.also(n));
  });
}

// Each number goes through ten roundings at most and two sums, which lose less than half of the
// root of their terms each (chain_test.cc); normalized numbers are about 1.
TEST(Normalize, GivesTheInterpretersResults) {
  for (const Case& c : cases) {
    for (const Shape& shape : {Shape{3, 5, 37}, Shape{400, 64}, Shape{40, 15}, Shape{2, 5000}}) {
      for (const bool keeps_axis : {true, false}) {
        const bool suits = shape[-1] >= 16 && shape[-1] <= 4096;
        const std::string what = str(c.what, ", ", shape.rank(), " axes, ", shape[-1], " last");
        const ir::Module module = normalization(c, shape, keeps_axis);
        expect_same(module, 10 + std::sqrt(shape[-1]), what);
        const std::string text = plan_summary(2, module).text;
        EXPECT_EQ(text.find("normalize f32[") != std::string::npos, suits && c.joins)
            << what << "\n"
            << text;
      }
    }
  }
}

// Normalization of rows of [rows, columns] by numbers for each column that x or the normalization
// itself gives: they have to be there before it runs, and as they were.
struct OwnColumns {
  std::string what;
  Shape shape;
  std::function<Value(const Normal&)> columns;  // of shape [columns]
};

Value first_row(Value x) {
  return ir::reshape(ir::slice(x, {0, 0}, {1, x.shape()[1]}), {x.shape()[1]});
}

const OwnColumns own_columns[] = {
    {"a row of x", {8, 32}, [](const Normal& n) { return first_row(n.x); }},
    {"the one row of x", {1, 32}, [](const Normal& n) { return first_row(n.x); }},
    {"a centered row", {8, 32}, [](const Normal& n) { return first_row(n.centered); }},
    {"the one centered row", {1, 32}, [](const Normal& n) { return first_row(n.centered); }},
    {"inverse deviations", {32, 32}, [](const Normal& n) { return n.inverse; }},
    {"a normalized row", {8, 32}, [](const Normal& n) { return first_row(n.normalized); }},
};

// Products of inputs below 1 have sums below 4, so that no value here is above 8.
TEST(Normalize, ScalesByColumnsOfItsOwn) {
  for (const OwnColumns& c : own_columns) {
    for (const bool offset : {false, true}) {
      for (const bool donated : {false, true}) {
        const ir::Module module = make_module([&](Builder& b) {
          const double factor = 1 / static_cast<double>(c.shape[1]);
          const ir::Parameter given{.name = "x", .aliases_result = 0};
          const Value x = donated ? b.argument({DType::f32, c.shape}, given)
                                  : ir::dot(b.argument({DType::f32, {c.shape[0], 4}}),
                                            b.argument({DType::f32, {4, c.shape[1]}}));
          const Normal n = normal_of(x, factor);
          const Value columns = n.per_column(c.columns(n));
          b.result(offset ? n.normalized + columns : n.normalized * columns);
        });
        expect_same(module, 8 * (10 + std::sqrt(32.0)),
                    str(c.what, offset ? " added" : "", donated ? ", x is donated" : ""), {-1, 1});
      }
    }
  }
}

// The sum of exponentials belongs to softmax, and to no second step.
TEST(Normalize, LeavesSoftmaxItsSum) {
  const ir::Module module = make_module([](Builder& b) {
    const Value x = b.argument({DType::f32, {8, 32}});
    const Normal scores{.x = x};
    const Value most = scores.per_row(ir::reduce_max(x, {1}));
    b.result(normal_of(ir::unary(OpCode::exponential, x - most), 1.0 / 32).normalized);
  });
  expect_same(module, 10 + std::sqrt(32.0), "exponentials");
  const std::string text = plan_summary(2, module).text;
  EXPECT_NE(text.find("exponentials and sums f32["), std::string::npos) << text;
  EXPECT_EQ(text.find("normalize f32["), std::string::npos) << text;
}

TEST(Normalize, GivesTheInterpretersGradients) {
  const ir::Module module = make_module([](Builder& b) {
    const Shape shape{6, 7, 48};
    const Value x = b.argument({DType::f32, shape});
    const Value scale = b.argument({DType::f32, {48}}), offset = b.argument({DType::f32, {48}});
    Value y = x;
    for (int layer = 0; layer < 2; ++layer) {
      Normal n = normal_of(y, 1.0 / 48);
      n.scale = scale;
      n.offset = offset;
      y = affine(n);
    }
    const ir::ValueId outputs[] = {ir::reduce_sum(y * y * y, {0, 1, 2}).id()};
    const ir::ValueId sources[] = {x.id(), scale.id(), offset.id()};
    for (const ir::ValueId id : autodiff::gradient(b, {.outputs = outputs, .sources = sources})) {
      b.result(b.value(id));
    }
  });
  EXPECT_NE(plan_summary(2, module).text.find("normalize f32["), std::string::npos);
  // Two layers of two sums there and two back; those of scale and offset sum all rows.
  expect_same(module, 4 * std::sqrt(48.0) + 0.5 * std::sqrt(42.0) + 20, "gradients", {-1, 1});
}

}  // namespace
}  // namespace systolic
