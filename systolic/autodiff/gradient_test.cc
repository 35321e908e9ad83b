// The contract of the walk; the rules have tests of their own.
#include "systolic/autodiff/gradient.h"

#include <gtest/gtest.h>

#include <set>

#include "systolic/autodiff/numeric_gradient.h"
#include "systolic/autodiff/rules/formula.h"
#include "systolic/base/error.h"

namespace systolic {
namespace {

using namespace autodiff;
using ir::Builder;
using ir::no_value;
using ir::OpCode;
using ir::Value;
using ir::ValueId;
using Values = std::span<const Value>;
using Interval = GradientRequest::Interval;

// A function of two vectors x and y under construction.
struct Scene {
  ir::Module module;
  Builder builder;
  Value x, y;

  Scene() : module(one_function()), builder(module.main(), &module) {
    x = builder.argument({DType::f64, {2}});
    y = builder.argument({DType::f64, {2}});
  }
  static ir::Module one_function() {
    ir::Module module;
    module.functions.emplace_back();
    return module;
  }

  std::vector<ValueId> differentiate(std::vector<Value> outputs, std::vector<Value> sources,
                                     std::vector<Interval> intervals = {},
                                     std::vector<ValueId> stopped = {}) {
    std::vector<ValueId> from, to;
    for (Value value : outputs) from.push_back(value.id());
    for (Value value : sources) to.push_back(value.id());
    return gradient(builder, {.outputs = from,
                              .sources = to,
                              .intervals = intervals,
                              .stopped = stopped.empty() ? nullptr : &stopped});
  }
  // The number that a value of shape (2) has at x = (2, 3), y = (5, 7), first element.
  double first(ValueId id) {
    ir::Module copy = module;
    copy.main().add_result(id);
    const std::vector<Literal> inputs{Literal::of<double>({2, 3}), Literal::of<double>({5, 7})};
    return run(copy, inputs)[0].number_at(0);
  }
  size_t ops() const { return module.main().body.ops.size(); }
};

TEST(Gradient, SumsOverAllReads) {
  Scene s;
  const auto found = s.differentiate({s.x * s.y + s.x * s.x + s.x}, {s.x});
  EXPECT_EQ(s.first(found[0]), 5 + 2 * 2 + 1);
}

TEST(Gradient, SumsOverOutputs) {
  Scene s;
  const auto found = s.differentiate({s.x * s.y, s.x * s.x}, {s.x, s.y});
  EXPECT_EQ(s.first(found[0]), 5 + 2 * 2);
  EXPECT_EQ(s.first(found[1]), 2);
}

TEST(Gradient, TakesOutputGradients) {
  Scene s;
  const std::vector<ValueId> outputs{(s.x * s.x).id(), (s.x * s.y).id()}, sources{s.x.id()},
      arriving{s.y.id(), no_value};
  const auto found =
      gradient(s.builder, {.outputs = outputs, .output_gradients = arriving, .sources = sources});
  EXPECT_EQ(s.first(found[0]), 5 * 2 * 2);
}

TEST(Gradient, OfAnOutputThatIsASource) {
  Scene s;
  const auto found = s.differentiate({s.x}, {s.x, s.y});
  EXPECT_EQ(s.first(found[0]), 1);
  EXPECT_EQ(found[1], no_value);
}

TEST(Gradient, UnconnectedSourcesHaveNone) {
  Scene s;
  const Value flat = floor(s.x) * s.y;
  const auto found = s.differentiate({flat}, {s.x, s.y});
  EXPECT_EQ(found[0], no_value);
  EXPECT_NE(found[1], no_value);
  const Value count = convert(convert(s.x, DType::i32), DType::f64);
  EXPECT_EQ(s.differentiate({count}, {s.x})[0], no_value);
}

TEST(Gradient, UnconnectedSourcesCostNothing) {
  Scene s;
  const Value product = s.y * s.y;
  const size_t before = s.ops();
  s.differentiate({product}, {s.x});
  EXPECT_EQ(s.ops(), before);
}

TEST(Gradient, IsTotalAndPartialWhereStopped) {
  Scene s;
  const Value inner = s.x * s.x, outer = inner * s.x;
  const auto total = s.differentiate({outer}, {s.x, inner});
  EXPECT_EQ(s.first(total[0]), 3 * 2 * 2);
  EXPECT_EQ(s.first(total[1]), 2);
  const auto partial = s.differentiate({outer}, {s.x, inner}, {}, {inner.id()});
  EXPECT_EQ(s.first(partial[0]), 2 * 2);
  EXPECT_EQ(s.first(partial[1]), 2);
}

TEST(Gradient, StopsAtStoppedValues) {
  Scene s;
  const Value held = ir::optimization_barrier({&s.x, 1})[0];
  const auto found = s.differentiate({held * s.x}, {s.x}, {}, {held.id()});
  EXPECT_EQ(s.first(found[0]), 2);
}

TEST(Gradient, WhatLiesOutsideTheIntervalsIsConstant) {
  Scene s;
  const Value before = s.x * s.y;  // op 0
  const size_t begin = s.ops();
  const Value inside = before * s.x;
  const size_t pause = s.ops();
  const Value aside = s.x * s.x;
  const size_t resume = s.ops();
  const Value result = inside * aside;
  // result = (x y) x (x x), of which only `before * x` and the last product count.
  const auto found = s.differentiate({result}, {s.x, before}, {{resume, s.ops()}, {begin, pause}});
  EXPECT_EQ(s.first(found[0]), (2 * 5) * (2 * 2));
  EXPECT_EQ(s.first(found[1]), 2 * (2 * 2));
  const auto everything = s.differentiate({result}, {s.x});
  EXPECT_EQ(s.first(everything[0]), 4 * 2 * 2 * 2 * 5);
}

TEST(Gradient, OverlappingAndEmptyIntervals) {
  Scene s;
  const Value result = sin(s.x) * s.x;
  const auto found = s.differentiate({result}, {s.x}, {{0, 1}, {0, 2}, {1, 1}, {1, 99}});
  const auto wanted = s.differentiate({result}, {s.x}, {{0, 2}});
  EXPECT_EQ(s.first(found[0]), s.first(wanted[0]));
  EXPECT_EQ(s.differentiate({result}, {s.x}, {{2, 2}})[0], no_value);
}

TEST(Gradient, AppendedOpsBelongToTheOpTheyDifferentiate) {
  Scene s;
  s.builder.location = {"user.cc", 7};
  s.builder.layer_path = ir::intern("net/dense");
  const Value product = s.x * s.y;
  s.builder.location = {"user.cc", 9};
  s.builder.layer_path = "";
  const Value wave = sin(product);
  const size_t before = s.ops();
  s.differentiate({wave}, {s.x});
  bool seen_dense = false;
  for (size_t i = before + 2; i < s.ops(); ++i) {  // after the ones for the output
    const ir::Op& op = s.module.main().body.ops[i];
    EXPECT_TRUE(op.location.line == 7 || op.location.line == 9);
    EXPECT_EQ(std::string(op.layer_path), op.location.line == 7 ? "net/dense" : "");
    seen_dense = seen_dense || op.location.line == 7;
  }
  EXPECT_TRUE(seen_dense);
  EXPECT_EQ(s.builder.location.line, 9);
}

TEST(Gradient, AnErrorNamesTheUsersLineAndLayer) {
  Scene s;
  s.builder.location = {"model.cc", 41};
  s.builder.layer_path = ir::intern("net/bits");
  const Value bits = bitcast_convert(s.x, {DType::f64, {2}});
  s.builder.location = {};
  s.builder.layer_path = "";
  try {
    s.differentiate({bits * s.y}, {s.x});
    FAIL() << "no error";
  } catch (const Unimplemented& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("bitcast_convert"), std::string::npos) << text;
    EXPECT_NE(text.find("model.cc:41"), std::string::npos) << text;
    EXPECT_NE(text.find("net/bits"), std::string::npos) << text;
  }
  EXPECT_EQ(s.builder.location.line, 0);
  // Beside the way it does not matter.
  EXPECT_NE(s.differentiate({bits * s.y}, {s.y})[0], no_value);
}

TEST(Gradient, RefusesWrongRequests) {
  Scene s;
  const Value product = s.x * s.y;
  EXPECT_THROW(s.differentiate({convert(s.x, DType::i32)}, {s.x}), InvalidArgument);
  const std::vector<ValueId> outputs{product.id()}, sources{s.x.id()}, unknown{1 << 20};
  EXPECT_THROW(gradient(s.builder, {.outputs = unknown, .sources = sources}), InvalidArgument);
  EXPECT_THROW(gradient(s.builder, {.outputs = outputs, .sources = unknown}), InvalidArgument);
  const std::vector<ValueId> two{s.y.id(), s.y.id()};
  EXPECT_THROW(
      gradient(s.builder, {.outputs = outputs, .output_gradients = two, .sources = sources}),
      InvalidArgument);
  const std::vector<ValueId> scalar{s.builder.filled(DType::f64, {}, 1).id()};
  EXPECT_THROW(
      gradient(s.builder, {.outputs = outputs, .output_gradients = scalar, .sources = sources}),
      InvalidArgument);
}

// A rectifier backwards: compare, select and a zero; nothing for the constant beside x.
TEST(Gradient, OfARectifierIsShort) {
  Scene s;
  const Value y = binary(OpCode::maximum, s.x, zeros_like(s.x));
  const size_t before = s.ops();
  s.differentiate({y}, {s.x});
  std::multiset<std::string_view> appended;
  for (size_t i = before; i < s.ops(); ++i) {
    appended.insert(ir::info(s.module.main().body.ops[i].code).name);
  }
  // Two constants, broadcast: the ones for the output, the zeros of the select.
  EXPECT_EQ(appended, (std::multiset<std::string_view>{"constant", "broadcast_in_dim", "compare",
                                                       "constant", "broadcast_in_dim", "select"}));
}

TEST(Gradient, OfAMillionOpsInARow) {
  Scene s;
  Value y = s.x;
  constexpr int depth = 1'000'000;
  for (int i = 0; i < depth; ++i) y = i % 2 == 0 ? -y : y + s.y;
  const auto found = s.differentiate({y}, {s.x, s.y});
  ASSERT_NE(found[0], no_value);
  ASSERT_NE(found[1], no_value);
  EXPECT_GE(s.ops(), 2u * depth);
}

TEST(Gradient, HigherDerivatives) {
  const std::vector<Literal> inputs{random_array({3}, 1, 0.5, 1.5)};
  const std::vector<std::pair<std::string, Program>> programs{
      {"sin", [](Values x) { return sin(x[0]); }},
      {"product", [](Values x) { return x[0] * exp(x[0]) * x[0]; }},
      {"pow", [](Values x) { return pow(x[0], x[0].builder().filled_like(x[0], 2.5)); }},
      {"pow of both", [](Values x) { return pow(x[0], x[0]); }},
      {"dot",
       [](Values x) {
         return dot(reshape(x[0], {3, 1}), reshape(x[0] * x[0], {1, 3}));
       }},
      {"softmax", [](Values x) {
         const Value powers = exp(x[0]);
         return powers / broadcast_to(reduce_sum(powers, {0}), {3});
       }}};
  for (const auto& [name, program] : programs) {
    expect_gradients(name + ", second", inputs, [&, f = program](Values x) {
      const Value y = f(x);
      return gradient_of(y * y, x[0]);
    });
    expect_gradients(name + ", third", inputs,
                     [&, f = program](Values x) {
                       const Value y = f(x);
                       const Value first = gradient_of(y * y, x[0]);
                       return gradient_of(first * x[0], x[0]);
                     },
                     {.tolerance = 1e-5});
  }
}

TEST(Gradient, OfAPenaltyOnAGradient) {
  expect_gradients("penalty",
                   std::vector<Literal>{random_array({2, 3}, 1), random_array({3, 2}, 2)},
                   [](Values x) {
                     const Value y = unary(OpCode::tanh, dot(x[0], x[1]));
                     const Value g = gradient_of(y, x[0]);
                     return sum_of_all(g * g) + sum_of_all(y);
                   });
}

}  // namespace
}  // namespace systolic
