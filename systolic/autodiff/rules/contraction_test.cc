#include <gtest/gtest.h>

#include "systolic/autodiff/numeric_gradient.h"
#include "systolic/ir/window.h"

namespace systolic {
namespace {

using namespace autodiff;
using ir::Axes;
using ir::ConvolutionAttributes;
using ir::DotAttributes;
using ir::OpCode;
using ir::Value;
using Values = std::span<const Value>;

struct DotCase {
  std::string name;
  Shape lhs, rhs;
  DotAttributes attributes;
};

TEST(ContractionGradient, DotGeneral) {
  const std::vector<DotCase> cases{
      {"matrices", {2, 3}, {3, 4}, {{}, {}, {1}, {0}}},
      {"lhs transposed", {3, 2}, {3, 4}, {{}, {}, {0}, {0}}},
      {"rhs transposed", {2, 3}, {4, 3}, {{}, {}, {1}, {1}}},
      {"vectors", {3}, {3}, {{}, {}, {0}, {0}}},
      {"outer", {2}, {3}, {}},
      {"matrix and vector", {2, 3}, {3}, {{}, {}, {1}, {0}}},
      {"batches", {2, 3, 4}, {2, 4, 2}, {{0}, {0}, {2}, {1}}},
      {"batches at other places", {3, 2, 4}, {4, 3, 2}, {{1}, {2}, {2}, {0}}},
      {"two contracted", {2, 3, 4}, {4, 5, 3}, {{}, {}, {1, 2}, {2, 0}}},
      {"two contracted, crossed", {3, 2, 4}, {4, 3, 2}, {{}, {}, {2, 0}, {0, 1}}},
      {"two batches, two free", {2, 3, 2, 2}, {3, 2, 2, 2}, {{0, 1}, {1, 0}, {3}, {2}}},
      {"heads of attention", {2, 3, 2, 2}, {2, 4, 2, 2}, {{0, 2}, {0, 2}, {3}, {3}}},
  };
  for (const DotCase& c : cases) {
    expect_gradients(c.name, std::vector<Literal>{random_array(c.lhs, 1), random_array(c.rhs, 2)},
                     [&](Values x) { return dot_general(x[0], x[1], c.attributes); });
  }
}

TEST(ContractionGradient, DotOfAValueWithItself) {
  expect_gradients("x x'", std::vector<Literal>{random_array({2, 3}, 1)}, [](Values x) {
    return dot_general(x[0], x[0], {{}, {}, {1}, {1}});
  });
}

TEST(ContractionGradient, ProductsOfGradientsSayThatTheyAre) {
  const std::vector<Literal> inputs{random_array({2, 3}, 1), random_array({3, 2}, 2)};
  const ir::Module module = build_module(inputs, [](Values x) {
    const Value product = dot_general(x[0], x[1], {{}, {}, {1}, {0}});
    return std::vector<Value>{gradient_of(product, x[0]), gradient_of(product, x[1])};
  });
  std::vector<bool> of_gradient;
  ir::for_each_op(module.main().body, [&](const ir::Op& op) {
    if (op.code != OpCode::dot_general) return;
    of_gradient.push_back(op.get<DotAttributes>().of_gradient);
  });
  EXPECT_EQ(of_gradient, (std::vector<bool>{false, true, true}));
}

struct ConvolutionCase {
  std::string name;
  Shape input, kernel;
  std::function<void(ConvolutionAttributes&)> change;
};

void check(const std::vector<ConvolutionCase>& cases, ConvolutionAttributes base) {
  for (const ConvolutionCase& c : cases) {
    ConvolutionAttributes attributes = base;
    c.change(attributes);
    expect_gradients(c.name,
                     std::vector<Literal>{random_array(c.input, 1), random_array(c.kernel, 2)},
                     [&](Values x) { return convolution(x[0], x[1], attributes); });
  }
}

TEST(ContractionGradient, Convolution) {
  using A = ConvolutionAttributes;
  check({{"valid", {2, 4, 4, 2}, {2, 3, 2, 3}, [](A&) {}},
         {"same",
          {1, 4, 3, 2},
          {3, 3, 2, 2},
          [](A& a) {
            a.padding = {{1, 1}, {1, 1}};
          }},
         {"1x1", {1, 3, 3, 2}, {1, 1, 2, 3}, [](A&) {}},
         {"strides",
          {1, 5, 6, 1},
          {2, 3, 1, 2},
          [](A& a) {
            a.window_strides = {2, 3};
          }},
         {"strides that leave a rest",
          {1, 6, 5, 1},
          {3, 2, 1, 2},
          [](A& a) {
            a.window_strides = {2, 2};
            a.padding = {{0, 1}, {1, 0}};
          }},
         {"stride beyond the kernel",
          {1, 7, 7, 1},
          {1, 2, 1, 1},
          [](A& a) {
            a.window_strides = {3, 3};
          }},
         {"uneven padding",
          {1, 3, 3, 1},
          {2, 2, 1, 1},
          [](A& a) {
            a.padding = {{0, 2}, {3, 1}};
          }},
         {"negative padding",
          {1, 5, 5, 1},
          {2, 2, 1, 1},
          [](A& a) {
            a.padding = {{-1, 0}, {0, -2}};
          }},
         {"kernel dilated",
          {1, 6, 5, 1},
          {2, 2, 1, 2},
          [](A& a) {
            a.rhs_dilation = {3, 2};
          }},
         {"input dilated (transposed convolution)",
          {1, 3, 3, 2},
          {3, 2, 2, 1},
          [](A& a) {
            a.lhs_dilation = {2, 3};
            a.padding = {{2, 1}, {1, 1}};
          }},
         {"everything at once",
          {1, 4, 5, 1},
          {2, 3, 1, 1},
          [](A& a) {
            a.window_strides = {2, 1};
            a.lhs_dilation = {3, 1};
            a.rhs_dilation = {2, 1};
            a.padding = {{1, 2}, {2, 0}};
          }},
         {"reversed",
          {1, 4, 4, 1},
          {2, 3, 1, 2},
          [](A& a) {
            a.window_reversal = {true, false};
          }},
         {"reversed both, strides",
          {1, 5, 5, 1},
          {2, 3, 1, 1},
          [](A& a) {
            a.window_reversal = {true, true};
            a.window_strides = {2, 2};
          }}},
        ir::channels_last_convolution(2));
}

TEST(ContractionGradient, ConvolutionInGroups) {
  using A = ConvolutionAttributes;
  check({{"two groups of features",
          {1, 3, 3, 4},
          {2, 2, 2, 4},
          [](A& a) { a.feature_group_count = 2; }},
         {"depthwise", {1, 3, 4, 3}, {2, 2, 1, 3}, [](A& a) { a.feature_group_count = 3; }},
         {"depthwise, two each, strides",
          {2, 5, 4, 2},
          {3, 2, 1, 4},
          [](A& a) {
            a.feature_group_count = 2;
            a.window_strides = {2, 1};
            a.padding = {{1, 1}, {0, 1}};
          }},
         {"groups of the batch", {4, 3, 3, 2}, {2, 2, 2, 4}, [](A& a) { a.batch_group_count = 2; }},
         {"groups of the batch, strides",
          {2, 5, 4, 2},
          {2, 2, 2, 2},
          [](A& a) {
            a.batch_group_count = 2;
            a.window_strides = {2, 2};
          }}},
        ir::channels_last_convolution(2));
}

TEST(ContractionGradient, ConvolutionWithOtherAxisOrders) {
  ConvolutionAttributes planes =
      ir::channels_last_convolution(2);  // [batch, channels, height, width], [out, in, h, w]
  planes.input_feature_dimension = planes.output_feature_dimension = 1;
  planes.input_spatial_dimensions = planes.output_spatial_dimensions = {2, 3};
  planes.kernel_output_feature_dimension = 0;
  planes.kernel_input_feature_dimension = 1;
  planes.kernel_spatial_dimensions = {2, 3};
  using A = ConvolutionAttributes;
  check({{"plain", {2, 2, 3, 4}, {3, 2, 2, 2}, [](A&) {}},
         {"groups", {1, 4, 3, 3}, {4, 2, 2, 2}, [](A& a) { a.feature_group_count = 2; }},
         {"groups of the batch", {2, 1, 3, 3}, {2, 1, 2, 2}, [](A& a) { a.batch_group_count = 2; }},
         {"output turned",
          {2, 1, 3, 4},
          {2, 1, 2, 2},
          [](A& a) {
            a.output_batch_dimension = 3;
            a.output_feature_dimension = 0;
            a.output_spatial_dimensions = {2, 1};
          }}},
        planes);
}

TEST(ContractionGradient, ConvolutionOfOneAxisAndOfNone) {
  ConvolutionAttributes line = ir::channels_last_convolution(1);
  line.window_strides = {2};
  line.padding = {{1, 0}};
  check({{"one axis", {2, 6, 2}, {3, 2, 2}, [](ConvolutionAttributes&) {}}}, line);
  check({{"no axis", {3, 2}, {2, 4}, [](ConvolutionAttributes&) {}}},
        ir::channels_last_convolution(0));
}

// The first layer's input needs no gradient, so none is computed.
TEST(ContractionGradient, OnlyWhatIsAskedFor) {
  const std::vector<Literal> inputs{random_array({2, 3}, 1), random_array({3, 4}, 2)};
  const ir::Module module = build_module(
      inputs, [](Values x) -> std::vector<Value> { return {gradient_of(dot(x[0], x[1]), x[1])}; });
  int dots = 0;
  for (const ir::Op& op : module.main().body.ops) dots += op.code == OpCode::dot_general;
  EXPECT_EQ(dots, 2);
}

}  // namespace
}  // namespace systolic
