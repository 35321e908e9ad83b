// Functions that are not ours, on both backends.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "systolic/base/error.h"
#include "systolic/runtime/custom_function.h"
#include "tests/backends/compare.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::Value;

// The sums of the elements from the first in memory on, times the option `scale`.
struct RunningSum final : CustomFunction {
  explicit RunningSum(float factor) : scale(factor) {}
  void run(std::span<const CustomArray> operands,
           std::span<const CustomArray> results) const override {
    const auto* from = reinterpret_cast<const float*>(operands[0].data);
    auto* to = reinterpret_cast<float*>(results[0].data);
    float sum = 0;
    for (int64_t i = 0; i < operands[0].type.shape.elements(); ++i) to[i] = sum += scale * from[i];
  }
  float scale;
};

// How far the operand's memory lies from the result's, in each element.
struct Distance final : CustomFunction {
  void run(std::span<const CustomArray> operands,
           std::span<const CustomArray> results) const override {
    auto* to = reinterpret_cast<int64_t*>(results[0].data);
    std::fill_n(to, results[0].type.shape.elements(), operands[0].data - results[0].data);
  }
};

void register_functions() {
  register_custom_function("test.running_sum", [](const ir::CustomCallAttributes& call) {
    const float scale =
        call.options.empty() ? 1 : std::get<Literal>(call.options[0].value).at<float>({});
    return std::make_unique<RunningSum>(scale);
  });
  register_custom_function("test.distance", [](const ir::CustomCallAttributes&) {
    return std::make_unique<Distance>();
  });
}

ir::Module call_module(const ir::CustomCallAttributes& call, const ir::Type& type) {
  return make_module([&](Builder& b) {
    const Value x = b.argument(type);
    b.result(b.append_one(ir::OpCode::custom_call, {x}, call, {}, {type}));
  });
}

TEST(CustomCall, SeesArraysInTheLayoutItAsksFor) {
  register_functions();
  struct Row {
    ir::Axes from, to;
    std::vector<float> wanted;
  };
  const Row rows[] = {
      {{1, 0}, {1, 0}, {0, 1, 3, 6, 10, 15}},
      {{0, 1}, {0, 1}, {0, 4, 10, 3, 8, 15}},
      {{0, 1}, {1, 0}, {0, 3, 4, 8, 10, 15}},
      {{1, 0}, {0, 1}, {0, 3, 10, 1, 6, 15}},
  };
  const Literal x = Literal::from(std::vector<float>{0, 1, 2, 3, 4, 5}, {2, 3});
  for (const Row& row : rows) {
    const ir::CustomCallAttributes call{.call_target_name = "test.running_sum",
                                        .operand_layouts = {row.from},
                                        .result_layouts = {row.to}};
    expect_result(call_module(call, {DType::f32, {2, 3}}), {x}, Literal::from(row.wanted, {2, 3}));
  }
}

TEST(CustomCall, IsToldItsOptions) {
  register_functions();
  const ir::CustomCallAttributes call{.call_target_name = "test.running_sum",
                                      .options = {{"scale", Literal::scalar(2.0f)}},
                                      .operand_layouts = {{0}},
                                      .result_layouts = {{0}}};
  expect_result(call_module(call, {DType::f32, {3}}),
                {Literal::from(std::vector<float>{1, 2, 3}, {3})},
                Literal::from(std::vector<float>{2, 6, 12}, {3}));
}

TEST(CustomCall, FindsAnAliasedOperandInItsResult) {
  register_functions();
  const ir::CustomCallAttributes call{.call_target_name = "test.distance",
                                      .operand_layouts = {{0, 1}},
                                      .result_layouts = {{0, 1}},
                                      .output_operand_aliases = {{0, 0}}};
  const Literal zeros = Literal::zeros(DType::i64, {2, 3});
  expect_result(call_module(call, {DType::i64, {2, 3}}),
                {Literal::from(std::vector<int64_t>{1, 2, 3, 4, 5, 6}, {2, 3})}, zeros);
}

TEST(CustomCall, OfNobodyIsNamed) {
  const ir::CustomCallAttributes call{
      .call_target_name = "test.nobody", .operand_layouts = {{0}}, .result_layouts = {{0}}};
  try {
    make_custom_function(call);
    FAIL();
  } catch (const NotFound& error) {
    EXPECT_NE(std::string(error.what()).find("test.nobody"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace systolic
