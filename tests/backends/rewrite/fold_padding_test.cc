// Zeros around a picture become a convolution's padding, and what is cut off its result is not
// computed: the convolution that is left, and equal results.
#include "backends/cpu/rewrite/fold_padding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "backends/interpreter/evaluate.h"
#include "systolic/ir/builder/builder.h"
#include "systolic/ir/infer/verify.h"
#include "systolic/ir/window.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

const Shape padded_picture{2, 6, 7, 3}, padded_kernel{3, 3, 3, 4};

ir::ConvolutionAttributes moving_window(ir::Axes strides, ir::Axes dilation = {1, 1}) {
  ir::ConvolutionAttributes attributes = ir::channels_last_convolution(2);
  attributes.window_strides = std::move(strides);
  attributes.lhs_dilation = std::move(dilation);
  return attributes;
}

Value padded(Builder& b, Value x, ir::Axes low, ir::Axes high, double with = 0,
             ir::Axes interior = {0, 0, 0, 0}) {
  return ir::pad(x, b.filled(DType::f32, {}, with), std::move(low), std::move(high),
                 std::move(interior));
}

struct PaddedRow {
  const char* name;
  std::function<Value(Builder& b, Value x, Value w)> build;
  bool folds;
};

const PaddedRow padded_rows[] = {
    {"Before",
     [](Builder& b, Value x, Value w) {
       return ir::convolution(padded(b, x, {0, 1, 0, 0}, {0, 1, 2, 0}), w, moving_window({1, 1}));
     },
     true},
    {"BeforeOneThatPads",
     [](Builder& b, Value x, Value w) {
       auto attributes = moving_window({2, 2});
       attributes.padding = {{1, 0}, {0, 1}};
       return ir::convolution(padded(b, x, {0, 1, 1, 0}, {0, 1, 1, 0}), w, attributes);
     },
     true},
    {"MoreThanWindowsReach",
     [](Builder& b, Value x, Value w) {
       return ir::convolution(padded(b, x, {0, 3, 0, 0}, {0, 0, 0, 0}), w, moving_window({1, 1}));
     },
     false},
    {"NotZeros",
     [](Builder& b, Value x, Value w) {
       return ir::convolution(padded(b, x, {0, 1, 0, 0}, {0, 1, 0, 0}, 1), w,
                              moving_window({1, 1}));
     },
     false},
    {"BetweenPixels",
     [](Builder& b, Value x, Value w) {
       return ir::convolution(padded(b, x, {0, 1, 0, 0}, {0, 1, 0, 0}, 0, {0, 1, 0, 0}), w,
                              moving_window({1, 1}));
     },
     false},
    {"Pictures",
     [](Builder& b, Value x, Value w) {
       return ir::convolution(padded(b, x, {1, 1, 0, 0}, {0, 1, 0, 0}), w, moving_window({1, 1}));
     },
     false},
    {"CutOff",
     [](Builder& b, Value x, Value w) {
       return ir::convolution(padded(b, x, {0, -1, 0, 0}, {0, 1, 0, 0}), w, moving_window({1, 1}));
     },
     false},
    {"After",
     [](Builder&, Value x, Value w) {
       auto attributes = moving_window({1, 1}, {2, 2});
       attributes.padding = {{2, 2}, {2, 2}};
       return ir::slice(ir::convolution(x, w, attributes), {0, 1, 0, 0}, {2, 13, 13, 4});
     },
     true},
    {"AfterStrides",
     [](Builder&, Value x, Value w) {
       auto attributes = moving_window({2, 2});
       attributes.padding = {{2, 2}, {2, 2}};
       return ir::slice(ir::convolution(x, w, attributes), {0, 1, 0, 0}, {2, 4, 4, 4});
     },
     true},
    {"AfterChannels",
     [](Builder&, Value x, Value w) {
       return ir::slice(ir::convolution(x, w, moving_window({1, 1})), {0, 0, 0, 1}, {2, 4, 5, 4});
     },
     false},
    {"AfterInsideOfThePicture",
     [](Builder&, Value x, Value w) {
       return ir::slice(ir::convolution(x, w, moving_window({1, 1})), {0, 1, 0, 0}, {2, 4, 5, 4});
     },
     false},
    {"AfterWithAnotherReader",
     [](Builder&, Value x, Value w) {
       auto attributes = moving_window({1, 1});
       attributes.padding = {{1, 1}, {1, 1}};
       const Value y = ir::convolution(x, w, attributes);
       return ir::slice(y, {0, 1, 0, 0}, {2, 5, 7, 4}) + ir::slice(y, {0, 0, 0, 0}, {2, 4, 7, 4});
     },
     false},
};

ir::Module padded_program(const PaddedRow& row) {
  ir::Module module;
  module.functions.emplace_back();
  Builder b(module.main());
  const Value x = b.argument({DType::f32, padded_picture});
  const Value w = b.argument({DType::f32, padded_kernel});
  b.result(row.build(b, x, w));
  return module;
}

Literal whole_numbers(const Shape& shape) {
  Literal numbers(DType::f32, shape);
  int next = 1;
  for (float& number : numbers.mutable_data<float>()) {
    next = next * 5 % 17;
    number = static_cast<float>(next - 8);
  }
  return numbers;
}

class FoldPadding : public ::testing::TestWithParam<PaddedRow> {};

TEST_P(FoldPadding, IntoTheConvolution) {
  const ir::Module before = padded_program(GetParam());
  ir::Module after = before;
  cpu::fold_padding(after);
  ir::verify(after);
  const auto& ops = after.main().body.ops;
  const auto convolution = std::find_if(
      ops.begin(), ops.end(), [](const ir::Op& op) { return op.code == OpCode::convolution; });
  const bool reads_x = convolution->operands[0] == after.main().body.arguments[0];
  const bool is_result = convolution->results[0] == after.main().body.results[0];
  EXPECT_EQ(reads_x && is_result, GetParam().folds);
  // Sums of whole numbers are the same in any order.
  const std::vector<Literal> inputs{whole_numbers(padded_picture), whole_numbers(padded_kernel)};
  EXPECT_EQ(interpreter::evaluate(after, inputs), interpreter::evaluate(before, inputs));
}

INSTANTIATE_TEST_SUITE_P(, FoldPadding, ::testing::ValuesIn(padded_rows),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace systolic
