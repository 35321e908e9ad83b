// dot, dot_general and convolution.
#include "systolic/base/error.h"
#include "systolic/stablehlo/convolution_numbers.h"
#include "systolic/stablehlo/import/handlers.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

void set_dimension_numbers(const OpImport& op, ir::ConvolutionAttributes& a) {
  const auto [input, kernel, output] =
      read_convolution_numbers(op.importer().program(), op.required("dimension_numbers"));
  a.input_batch_dimension = input.first;
  a.input_feature_dimension = input.second;
  a.input_spatial_dimensions = input.spatial;
  a.kernel_input_feature_dimension = kernel.first;
  a.kernel_output_feature_dimension = kernel.second;
  a.kernel_spatial_dimensions = kernel.spatial;
  a.output_batch_dimension = output.first;
  a.output_feature_dimension = output.second;
  a.output_spatial_dimensions = output.spatial;
}

}  // namespace

void import_dot(OpImport& op) {
  ir::DotAttributes attributes;
  attributes.lhs_contracting_dimensions = {op.operand(0).rank() - 1};
  attributes.rhs_contracting_dimensions = {0};
  attributes.precision = op.precision();
  op.set(ir::dot_general(op.operand(0), op.operand(1), attributes, op.result_dtype()));
}

void import_dot_general(OpImport& op) {
  const Attribute& numbers = op.required("dot_dimension_numbers");
  ir::DotAttributes attributes;
  attributes.lhs_batching_dimensions = op.field_axes(numbers, "lhs_batching_dimensions");
  attributes.rhs_batching_dimensions = op.field_axes(numbers, "rhs_batching_dimensions");
  attributes.lhs_contracting_dimensions = op.field_axes(numbers, "lhs_contracting_dimensions");
  attributes.rhs_contracting_dimensions = op.field_axes(numbers, "rhs_contracting_dimensions");
  attributes.precision = op.precision();
  op.set(ir::dot_general(op.operand(0), op.operand(1), attributes, op.result_dtype()));
}

ir::ConvolutionAttributes convolution_attributes(const OpImport& op) {
  ir::ConvolutionAttributes a;
  set_dimension_numbers(op, a);
  const size_t rank = a.input_spatial_dimensions.size();
  // "stride = []" says as much as none.
  const auto axes_or_ones = [&](std::string_view name) {
    const ir::Axes given = op.axes(name, ir::Axes{});
    return given.empty() ? ir::Axes(rank, 1) : given;
  };
  a.window_strides = axes_or_ones("window_strides");
  a.lhs_dilation = axes_or_ones("lhs_dilation");
  a.rhs_dilation = axes_or_ones("rhs_dilation");
  a.padding = op.padding("padding", rank);
  a.window_reversal.assign(rank, false);
  const ir::Axes reversal = op.axes("window_reversal", ir::Axes(rank, 0));
  for (size_t i = 0; i < rank && i < reversal.size(); ++i) a.window_reversal[i] = reversal[i] != 0;
  a.feature_group_count = op.integer("feature_group_count", 1);
  a.batch_group_count = op.integer("batch_group_count", 1);
  a.precision = op.precision();
  return a;
}

void import_convolution(OpImport& op) {
  op.append(convolution_attributes(op), {}, {{op.result_dtype(), {}}});
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
