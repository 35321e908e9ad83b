// The programs that gradients are made of, which nobody writes by hand: turned convolutions,
// windows over dilated arrays, loops that run backwards.
#include "systolic/autodiff/gradient.h"

#include <gtest/gtest.h>

#include "systolic/base/text.h"
#include "systolic/ir/window.h"
#include "tests/backends/compare.h"
#include "tests/backends/run_planned.h"

namespace systolic {
namespace {

using ir::Axes;
using ir::Builder;
using ir::ConvolutionAttributes;
using ir::Direction;
using ir::OpCode;
using ir::Value;
using ir::ValueId;
using Values = std::span<const Value>;
using Program = std::function<Value(Values)>;

// The gradients of the sum of squares of what `program` makes of f32 arguments.
ir::Module gradient_module(const std::string& name, const std::vector<Shape>& shapes,
                           const Program& program) {
  return make_module([&](Builder& b) {
    std::vector<Value> arguments;
    std::vector<ValueId> sources;
    for (const Shape& shape : shapes) {
      arguments.push_back(b.argument({DType::f32, shape}));
      sources.push_back(arguments.back().id());
    }
    const Value y = program(arguments);
    const ValueId output = (y * y).id();
    for (ValueId found : autodiff::gradient(b, {.outputs = {&output, 1}, .sources = sources})) {
      ASSERT_NE(found, ir::no_value) << name;
      b.result(b.value(found));
    }
  });
}

void expect_same_gradients(const std::string& name, const std::vector<Shape>& shapes,
                           const Program& program, double tolerance = 512) {
  expect_same(gradient_module(name, shapes, program), tolerance, name, {-1, 1});
}

Value integer(Value like, int32_t number) {
  return like.builder().constant(Literal::scalar(number));
}

TEST(Gradient, Convolutions) {
  using A = ConvolutionAttributes;
  struct Case {
    std::string name;
    Shape input, kernel;
    std::function<void(A&)> change;
  };
  const std::vector<Case> cases{
      {"same",
       {2, 9, 8, 3},
       {3, 3, 3, 5},
       [](A& a) {
         a.padding = {{1, 1}, {1, 1}};
       }},
      {"wide",
       {1, 12, 12, 32},
       {3, 3, 32, 32},
       [](A& a) {
         a.padding = {{1, 1}, {1, 1}};
       }},
      {"one pixel", {2, 5, 5, 4}, {1, 1, 4, 6}, [](A&) {}},
      {"strides",
       {2, 9, 10, 3},
       {3, 3, 3, 4},
       [](A& a) {
         a.window_strides = {2, 2};
         a.padding = {{1, 1}, {0, 1}};
       }},
      {"patches",
       {2, 8, 8, 3},
       {4, 4, 3, 6},
       [](A& a) {
         a.window_strides = {4, 4};
       }},
      {"kernel dilated",
       {1, 9, 9, 2},
       {3, 3, 2, 3},
       [](A& a) {
         a.rhs_dilation = {2, 3};
       }},
      {"transposed",
       {2, 4, 5, 3},
       {3, 3, 3, 2},
       [](A& a) {
         a.lhs_dilation = {2, 2};
         a.padding = {{1, 2}, {1, 2}};
       }},
      {"negative padding",
       {1, 7, 7, 2},
       {2, 2, 2, 2},
       [](A& a) {
         a.padding = {{-1, 0}, {0, -2}};
       }},
      {"reversed",
       {1, 6, 6, 2},
       {2, 3, 2, 2},
       [](A& a) {
         a.window_reversal = {true, true};
       }},
      {"groups", {2, 6, 6, 4}, {3, 3, 2, 6}, [](A& a) { a.feature_group_count = 2; }},
      {"depthwise",
       {2, 7, 6, 8},
       {3, 3, 1, 8},
       [](A& a) {
         a.feature_group_count = 8;
         a.padding = {{1, 1}, {1, 1}};
       }},
      {"groups of the batch", {4, 5, 5, 2}, {2, 2, 2, 4}, [](A& a) { a.batch_group_count = 2; }},
      {"transposed and wide",
       {2, 6, 5, 24},
       {4, 4, 24, 16},
       [](A& a) {
         a.lhs_dilation = {2, 2};
         a.padding = {{2, 2}, {2, 2}};
       }},
      {"transposed, reversed, dilated",
       {2, 6, 5, 8},
       {3, 2, 8, 4},
       [](A& a) {
         a.lhs_dilation = {3, 1};
         a.rhs_dilation = {2, 2};
         a.window_reversal = {true, true};
         a.padding = {{3, 4}, {1, 2}};
       }},
      {"transposed, beyond the image",
       {2, 4, 4, 4},
       {3, 3, 4, 4},
       [](A& a) {
         a.lhs_dilation = {2, 2};
         a.padding = {{5, 6}, {-1, 0}};
       }},
      {"volume",
       {2, 5, 6, 4, 3},
       {2, 3, 3, 3, 4},
       [](A& a) {
         a.padding = {{1, 0}, {1, 1}, {1, 1}};
       }},
      {"volume with strides",
       {2, 7, 6, 5, 3},
       {3, 3, 2, 3, 4},
       [](A& a) {
         a.window_strides = {2, 1, 2};
         a.rhs_dilation = {1, 2, 1};
         a.padding = {{1, 1}, {2, 2}, {0, 1}};
       }},
      {"volume, transposed",
       {2, 3, 4, 3, 4},
       {3, 3, 3, 4, 3},
       [](A& a) {
         a.lhs_dilation = {2, 2, 2};
         a.padding = {{1, 2}, {1, 2}, {1, 2}};
       }},
      {"volume, depthwise",
       {2, 4, 5, 4, 4},
       {3, 3, 3, 1, 8},
       [](A& a) {
         a.feature_group_count = 4;
         a.padding = {{1, 1}, {1, 1}, {1, 1}};
       }},
      {"sequence, transposed", {2, 9, 8}, {5, 8, 6}, [](A& a) {
         a.lhs_dilation = {3};
         a.padding = {{2, 3}};
       }}};
  for (const Case& c : cases) {
    ConvolutionAttributes attributes = ir::channels_last_convolution(c.input.rank() - 2);
    c.change(attributes);
    expect_same_gradients(c.name, {c.input, c.kernel},
                          [&](Values x) { return ir::convolution(x[0], x[1], attributes); });
  }
}

// Transposed convolutions and those of three dimensions, forward and backward, have kernels: none
// is computed element by element.
TEST(Gradient, TransposedConvolutionsAndVolumesHaveKernels) {
  struct Case {
    Shape input, kernel;
    int64_t dilation;
  };
  for (const Case& c :
       {Case{{2, 8, 16}, {4, 16, 8}, 2}, Case{{2, 7, 7, 16}, {4, 4, 16, 8}, 2},
        Case{{2, 4, 6, 5, 8}, {3, 3, 3, 8, 8}, 1}, Case{{2, 3, 4, 3, 8}, {3, 3, 3, 8, 8}, 2}}) {
    const auto axes = static_cast<size_t>(c.input.rank() - 2);
    ConvolutionAttributes attributes = ir::channels_last_convolution(c.input.rank() - 2);
    attributes.lhs_dilation.assign(axes, c.dilation);
    attributes.padding.assign(axes, {1, 1});
    const std::string plan =
        plan_summary(
            2, gradient_module("kernels", {c.input, c.kernel},
                               [&](Values x) { return ir::convolution(x[0], x[1], attributes); }))
            .text;
    EXPECT_EQ(plan.find("plain"), std::string::npos) << plan;
    EXPECT_NE(plan.find("convolution dw"), std::string::npos) << plan;
  }
}

TEST(Gradient, DotsWithTurnedAxes) {
  struct Case {
    Shape a, b;
    ir::DotAttributes attributes;
  };
  const std::vector<Case> cases{{{5, 7}, {7, 3}, {{}, {}, {1}, {0}}},
                                {{7, 5}, {3, 7}, {{}, {}, {0}, {1}}},
                                {{2, 5, 7}, {2, 7, 3}, {{0}, {0}, {2}, {1}}},
                                {{5, 2, 7}, {7, 3, 2}, {{1}, {2}, {2}, {0}}},
                                {{2, 6, 3, 4}, {2, 5, 3, 4}, {{0, 2}, {0, 2}, {3}, {3}}},
                                {{3, 2, 4}, {4, 3, 2}, {{}, {}, {2, 0}, {0, 1}}}};
  for (const Case& c : cases) {
    expect_same_gradients(str(c.a, " and ", c.b), {c.a, c.b},
                          [&](Values x) { return ir::dot_general(x[0], x[1], c.attributes); });
  }
}

TEST(Gradient, Windows) {
  const std::vector<std::pair<Shape, ir::WindowAttributes>> cases{
      {{4, 6}, {{2, 3}, {2, 3}, {1, 1}, {1, 1}, {{0, 0}, {0, 0}}}},
      {{5, 4}, {{3, 2}, {1, 1}, {1, 1}, {1, 1}, {{0, 0}, {0, 0}}}},
      {{7, 7}, {{3, 3}, {2, 2}, {1, 1}, {1, 1}, {{1, 1}, {0, 1}}}},
      {{9}, {{9}, {1}, {1}, {1}, {{8, 0}}}},
      {{7}, {{2}, {3}, {1}, {1}, {{0, 0}}}},
      {{6}, {{2}, {1}, {1}, {1}, {{-1, -2}}}},
      {{4}, {{3}, {2}, {2}, {1}, {{1, 1}}}}};
  for (const auto& c : cases) {
    for (OpCode code : {OpCode::add, OpCode::maximum, OpCode::minimum}) {
      const bool negative = c.second.padding[0].first < 0;
      if (negative && code != OpCode::add) continue;
      expect_same_gradients(str(ir::info(code).name, " of ", c.first), {c.first},
                            [&](Values x) { return ir::reduce_window(x[0], code, c.second); });
    }
  }
}

TEST(Gradient, FoldsAndSorts) {
  for (OpCode code : {OpCode::add, OpCode::maximum, OpCode::minimum, OpCode::multiply}) {
    expect_same_gradients(std::string(ir::info(code).name), {{3, 4, 5}}, [&](Values x) {
      return ir::reduce(x[0], code, {0, 2});
    });
  }
  expect_same_gradients("sort", {{4, 9}, {4, 9}}, [](Values x) {
    const auto sorted =
        ir::sort(x, {1, true}, [](Values s) { return ir::compare(s[0], s[1], Direction::lt); });
    return sorted[0] * sorted[1];
  });
}

TEST(Gradient, GathersAndScatters) {
  const std::vector<int32_t> at{1, 4, 4, -1, 7, 0};
  expect_same_gradients("embedding", {{5, 3}}, [&](Values x) {
    const Value rows = x[0].builder().constant(Literal::from(at, {6}));
    return ir::gather(x[0], rows,
                      {.offset_dims = {1},
                       .collapsed_slice_dims = {0},
                       .start_index_map = {0},
                       .index_vector_dim = 1,
                       .slice_sizes = {1, 3}});
  });
  for (const auto& code : {std::optional(OpCode::add), std::optional<OpCode>()}) {
    expect_same_gradients(code ? "scatter that adds" : "scatter that replaces", {{5, 3}, {6, 3}},
                          [&](Values x) {
                            const Value rows = x[0].builder().constant(Literal::from(at, {6}));
                            return ir::scatter(x[0], rows, x[1],
                                               {.update_window_dims = {1},
                                                .inserted_window_dims = {0},
                                                .scatter_dims_to_operand_dims = {0},
                                                .index_vector_dim = 1},
                                               code);
                          });
  }
}

TEST(Gradient, Loops) {
  expect_same_gradients("recurrent", {{5, 2, 3}, {3, 3}, {2, 3}}, [](Values x) {
    const std::vector<Value> initial{integer(x[0], 0), x[2]};
    return ir::while_loop(
        initial, [](Values s) { return ir::compare(s[0], integer(s[0], 5), Direction::lt); },
        [&](Values s) -> std::vector<Value> {
          const std::vector<Value> at{s[0], integer(s[0], 0), integer(s[0], 0)};
          const Value row = ir::reshape(ir::dynamic_slice(x[0], at, {1, 2, 3}), {2, 3});
          return {s[0] + 1.0, ir::unary(OpCode::tanh, ir::dot(s[1], x[1]) + row)};
        })[1];
  });
  expect_same_gradients("bounded", {{3}}, [](Values x) {
    const std::vector<Value> initial{integer(x[0], 0), x[0]};
    return ir::while_loop(
        initial,
        [](Values s) {
          const Value small = ir::compare(ir::reduce_sum(s[1] * s[1], {0}), 2.0, Direction::lt);
          return ir::binary(OpCode::and_, ir::compare(s[0], integer(s[0], 4), Direction::lt),
                            small);
        },
        [](Values s) -> std::vector<Value> {
          return {s[0] + 1.0, s[1] * 1.5 + s[1] * s[1]};
        })[1];
  });
  expect_same_gradients("branches", {{4}, {4}}, [](Values x) {
    const Value positive = ir::compare(ir::reduce_sum(x[0], {0}), 0.0, Direction::gt);
    return ir::if_else(
        positive, [&]() -> std::vector<Value> { return {x[0] * x[1]}; },
        [&]() -> std::vector<Value> { return {x[0] + x[1] * x[1]}; })[0];
  });
}

}  // namespace
}  // namespace systolic
