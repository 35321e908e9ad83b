// dot, dot_general and convolution.
#include "systolic/base/error.h"
#include "systolic/stablehlo/handlers.h"
#include "systolic/stablehlo/scanner.h"

namespace systolic::inline v0 {
namespace stablehlo {
namespace {

// "[b, 0, 1, f]": where the two letters stand, and the axes of the numbers.
struct Layout {
  int64_t first = -1, second = -1;
  ir::Axes spatial;
};

Layout read_layout(const OpImport& op, std::string_view text, char first, char second) {
  Layout layout;
  const size_t open = text.find('['), close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    op.fail("dimension_numbers", str("'", text, "'"), "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]");
  }
  std::vector<std::string> parts = split(text.substr(open + 1, close - open - 1), ',');
  layout.spatial.assign(parts.size() < 2 ? 0 : parts.size() - 2, -1);
  for (size_t axis = 0; axis < parts.size(); ++axis) {
    const std::string_view part = trim(parts[axis]);
    int64_t number = 0;
    if (part.size() == 1 && part[0] == first) {
      layout.first = static_cast<int64_t>(axis);
    } else if (part.size() == 1 && part[0] == second) {
      layout.second = static_cast<int64_t>(axis);
    } else if (parse_number(part, number) && number >= 0 &&
               number < static_cast<int64_t>(layout.spatial.size())) {
      layout.spatial[static_cast<size_t>(number)] = static_cast<int64_t>(axis);
    } else {
      op.fail("dimension_numbers", str("'", part, "'"), str(first, ", ", second, " or an axis"));
    }
  }
  bool complete = layout.first >= 0 && layout.second >= 0;
  for (int64_t axis : layout.spatial) complete = complete && axis >= 0;
  if (!complete) op.fail("dimension_numbers", str("'", text, "'"), "each axis once");
  return layout;
}

void set_dimension_numbers(const OpImport& op, ir::ConvolutionAttributes& a) {
  const std::string_view text = op.required("dimension_numbers").text;
  const size_t times = text.find(']'), arrow = text.find("->");
  if (times == std::string_view::npos || arrow == std::string_view::npos || arrow < times) {
    op.fail("dimension_numbers", str("'", text, "'"), "[b, 0, f]x[0, i, o]->[b, 0, f]");
  }
  const Layout input = read_layout(op, text.substr(0, times + 1), 'b', 'f');
  const Layout kernel = read_layout(op, text.substr(times + 1, arrow - times - 1), 'i', 'o');
  const Layout output = read_layout(op, text.substr(arrow), 'b', 'f');
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
  const ir::Axes ones(rank, 1);
  a.window_strides = op.axes("window_strides", ones);
  a.lhs_dilation = op.axes("lhs_dilation", ones);
  a.rhs_dilation = op.axes("rhs_dilation", ones);
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
