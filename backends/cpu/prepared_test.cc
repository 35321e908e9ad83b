// What a program makes of its parameters alone is made once, for as long as they are the same.
#include <gtest/gtest.h>

#include "backends/cpu/client.h"
#include "backends/cpu/executable.h"
#include "systolic/ir/builder/builder.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::Value;
using runtime::BufferPtr;

const Shape image{1, 6, 5, 8}, kernel{5, 5, 8, 16};

// A convolution; with the role of a parameter its kernel may be prepared.
ir::Module prediction(ir::Role role) {
  ir::Module module;
  module.functions.emplace_back();
  Builder b(module.main());
  const Value w = b.argument({DType::f32, kernel}, {.name = "w", .role = role});
  const Value x = b.argument({DType::f32, image});
  ir::ConvolutionAttributes attributes;
  attributes.input_batch_dimension = 0;
  attributes.input_feature_dimension = 3;
  attributes.input_spatial_dimensions = {1, 2};
  attributes.kernel_input_feature_dimension = 2;
  attributes.kernel_output_feature_dimension = 3;
  attributes.kernel_spatial_dimensions = {0, 1};
  attributes.output_batch_dimension = 0;
  attributes.output_feature_dimension = 3;
  attributes.output_spatial_dimensions = {1, 2};
  attributes.window_strides = {1, 1};
  attributes.padding = {{2, 2}, {2, 2}};
  attributes.window_reversal = {false, false};
  attributes.lhs_dilation = {1, 1};
  attributes.rhs_dilation = {1, 1};
  b.result(ir::convolution(x, w, attributes));
  return module;
}

// w - g; the result takes the memory of w.
ir::Module update() {
  ir::Module module;
  module.functions.emplace_back();
  Builder b(module.main());
  const Value w = b.argument({DType::f32, kernel}, {.name = "w", .aliases_result = 0});
  b.result(w - b.argument({DType::f32, kernel}));
  return module;
}

Literal drawn_numbers(const Shape& shape, float first) {
  Literal literal(DType::f32, shape);
  float value = first;
  for (float& number : literal.mutable_data<float>()) {
    value = value * 1.3f - static_cast<float>(static_cast<int>(value * 1.3f));
    number = value - 0.5f;
  }
  return literal;
}

class Prepared : public ::testing::Test {
 protected:
  BufferPtr buffer(const Shape& shape, float first) {
    return client_->from_host(drawn_numbers(shape, first));
  }
  Literal predicted(const BufferPtr& w, const BufferPtr& x) {
    return predict_->execute({w, x})[0]->to_literal();
  }
  void expect_right(const BufferPtr& w, const BufferPtr& x) {
    EXPECT_EQ(predicted(w, x), plain_->execute({w, x})[0]->to_literal());
  }

  runtime::ClientPtr client_ = cpu::open_software_tpu("v3-8", 1);
  runtime::ExecutablePtr predict_ = client_->compile(prediction(ir::Role::parameter));
  runtime::ExecutablePtr plain_ = client_->compile(prediction(ir::Role::input));
};

TEST_F(Prepared, OneStepOfTheProgramIs) {
  const auto& plan = dynamic_cast<const cpu::CpuExecutable&>(*predict_).plan();
  ASSERT_EQ(plan.steps.size(), 2u) << plan.text();
  EXPECT_TRUE(plan.steps[0].prepares);
  EXPECT_FALSE(plan.steps[1].prepares);
  EXPECT_GE(plan.prepared_bytes, kernel.elements() * 4);
  EXPECT_EQ(plan.prepared_from, std::vector<size_t>{0});
  EXPECT_TRUE(dynamic_cast<const cpu::CpuExecutable&>(*plain_).plan().prepared_from.empty());
  EXPECT_GE(predict_->memory().temporaries, plan.prepared_bytes);
}

TEST_F(Prepared, TheSameParametersWithOtherInputs) {
  const BufferPtr w = buffer(kernel, 0.3f);
  for (const float first : {0.1f, 0.2f, 0.7f}) expect_right(w, buffer(image, first));
}

TEST_F(Prepared, OtherParametersInTheirPlace) {
  const BufferPtr x = buffer(image, 0.4f);
  const BufferPtr first = buffer(kernel, 0.3f), second = buffer(kernel, 0.6f);
  for (const BufferPtr& w : {first, second, first}) expect_right(w, x);
  for (const float start : {0.15f, 0.25f, 0.35f}) expect_right(buffer(kernel, start), x);
}

// The memory is the same and its numbers are not.
TEST_F(Prepared, ParametersThatATrainingStepHasWritten) {
  const runtime::ExecutablePtr train = client_->compile(update());
  const BufferPtr x = buffer(image, 0.4f), g = buffer(kernel, 0.8f);
  std::vector<BufferPtr> first{buffer(kernel, 0.3f), g};
  BufferPtr w = train->execute(std::move(first))[0];  // now in memory of its own
  for (int step = 0; step < 3; ++step) {
    expect_right(w, x);
    std::vector<BufferPtr> arguments{std::move(w), g};
    w = train->execute(std::move(arguments))[0];
  }
  expect_right(w, x);
}

}  // namespace
}  // namespace systolic
