// A factor for each channel of a convolution goes into the kernel where both are parameters, and
// nowhere else; the results are those of the program as it was written.
#include "backends/cpu/rewrite/scale_kernels.h"

#include <gtest/gtest.h>

#include <cmath>

#include "backends/cpu/client.h"
#include "systolic/ir/builder/builder.h"

namespace systolic {
namespace {

using ir::Builder;
using ir::OpCode;
using ir::Value;

// What stands between a convolution and the factor.
enum class Between { nothing, offset, other_reader };

struct ScaledProduct {
  const char* name;
  ir::Role kernel_role, factor_role;
  bool donated = false;
  Between between = Between::nothing;
  int64_t groups = 1;
  bool batch_factor = false;  // of the first axis, not of the channels
  DType dtype = DType::f32;
  bool folds = false;
};

const ScaledProduct scaled_products[] = {
    {.name = "Parameters",
     .kernel_role = ir::Role::parameter,
     .factor_role = ir::Role::parameter,
     .folds = true},
    {.name = "ParametersWithAnOffset",
     .kernel_role = ir::Role::parameter,
     .factor_role = ir::Role::parameter,
     .between = Between::offset,
     .folds = true},
    {.name = "Depthwise",
     .kernel_role = ir::Role::parameter,
     .factor_role = ir::Role::parameter,
     .groups = 6,
     .folds = true},
    {.name = "KernelThatIsGiven",
     .kernel_role = ir::Role::input,
     .factor_role = ir::Role::parameter},
    {.name = "FactorThatIsGiven",
     .kernel_role = ir::Role::parameter,
     .factor_role = ir::Role::input},
    {.name = "KernelThatIsTrained",
     .kernel_role = ir::Role::parameter,
     .factor_role = ir::Role::parameter,
     .donated = true},
    {.name = "ConvolutionThatIsRead",
     .kernel_role = ir::Role::parameter,
     .factor_role = ir::Role::parameter,
     .between = Between::other_reader},
    {.name = "FactorOfTheBatch",
     .kernel_role = ir::Role::parameter,
     .factor_role = ir::Role::parameter,
     .batch_factor = true},
    {.name = "Bfloat16",
     .kernel_role = ir::Role::parameter,
     .factor_role = ir::Role::parameter,
     .dtype = DType::bf16},
};

// As many pictures as channels, so that a factor of the batch would fit the channels, too.
constexpr int64_t scaled_channels = 6;
const Shape scaled_pictures{scaled_channels, 5, 4, scaled_channels};

Shape scaled_kernel_shape(const ScaledProduct& of) {
  return {3, 3, scaled_channels / of.groups, scaled_channels};
}

ir::ConvolutionAttributes scaled_attributes(const ScaledProduct& of) {
  ir::ConvolutionAttributes result;
  result.input_feature_dimension = 3;
  result.input_spatial_dimensions = {1, 2};
  result.kernel_input_feature_dimension = 2;
  result.kernel_output_feature_dimension = 3;
  result.kernel_spatial_dimensions = {0, 1};
  result.output_feature_dimension = 3;
  result.output_spatial_dimensions = {1, 2};
  result.window_strides = result.lhs_dilation = result.rhs_dilation = {1, 1};
  result.padding = {{1, 1}, {1, 1}};
  result.window_reversal = {false, false};
  result.feature_group_count = of.groups;
  return result;
}

// relu(factor * (convolution(x, w) + offset)), of the arguments w, factor, offset and x.
ir::Module scaled_program(const ScaledProduct& of) {
  ir::Module module;
  module.functions.emplace_back();
  Builder b(module.main());
  const Value w =
      b.argument({of.dtype, scaled_kernel_shape(of)},
                 {.name = "w",
                  .aliases_result = of.donated ? std::optional<int64_t>(1) : std::nullopt,
                  .role = of.kernel_role});
  const Value factor =
      b.argument({of.dtype, {scaled_channels}}, {.name = "factor", .role = of.factor_role});
  const Value offset =
      b.argument({of.dtype, {scaled_channels}}, {.name = "offset", .role = ir::Role::parameter});
  const Value x = b.argument({of.dtype, scaled_pictures});
  const Value convolved = ir::convolution(x, w, scaled_attributes(of));
  Value y = convolved;
  if (of.between == Between::offset) y = y + ir::broadcast_in_dim(offset, scaled_pictures, {3});
  y = y * ir::broadcast_in_dim(factor, scaled_pictures, {of.batch_factor ? 0 : 3});
  b.result(ir::binary(OpCode::maximum, y, b.filled_like(y, 0)));
  if (of.donated) b.result(w * 2.0);
  if (of.between == Between::other_reader) b.result(convolved);
  return module;
}

// The factor of each element of the largest result is the kernel's.
bool kernel_is_scaled(const ir::Module& module) {
  const ir::Function& main = module.main();
  const ir::Op* read = nullptr;
  for (const ir::Op& op : main.body.ops) {
    if (op.code == OpCode::convolution) read = &op;
  }
  return read != nullptr && read->operands[1] != main.body.arguments[0];
}

Literal drawn_of_type(DType dtype, const Shape& shape, double first) {
  Literal numbers(DType::f32, shape);
  double value = first;
  for (float& number : numbers.mutable_data<float>()) {
    value = std::fmod(value * 1.3 + 0.17, 1.0);
    number = static_cast<float>(value - 0.5);
  }
  return numbers.convert(dtype);
}

class ScaleKernels : public ::testing::TestWithParam<ScaledProduct> {};

TEST_P(ScaleKernels, WhereBothAreParameters) {
  // The last convolution is the one that is read.
  EXPECT_EQ(kernel_is_scaled(cpu::scale_kernels(scaled_program(GetParam()))), GetParam().folds);
}

TEST_P(ScaleKernels, GiveTheSameResults) {
  ScaledProduct given = GetParam();
  given.kernel_role = given.factor_role = ir::Role::input;
  const auto client = cpu::open_software_tpu("v3-8", 1);
  const auto run = [&](const ScaledProduct& of) {
    const DType dtype = of.dtype;
    const auto buffer = [&](const Shape& shape, double first) {
      return client->from_host(drawn_of_type(dtype, shape, first));
    };
    return client->compile(scaled_program(of))
        ->execute({buffer(scaled_kernel_shape(of), 0.3), buffer({scaled_channels}, 0.4),
                   buffer({scaled_channels}, 0.5), buffer(scaled_pictures, 0.6)})[0]
        ->to_literal();
  };
  const Literal found = run(GetParam()).convert(DType::f32);
  const Literal wanted = run(given).convert(DType::f32);
  // Sums of 54 products below 1/4 each, times at most 1/2, each rounded to f32.
  for (int64_t i = 0; i < found.size(); ++i) {
    const auto at = static_cast<size_t>(i);
    EXPECT_NEAR(found.data<float>()[at], wanted.data<float>()[at], 2e-6) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(, ScaleKernels, ::testing::ValuesIn(scaled_products),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace systolic
