// convolution and dynamic_conv, whose constraints have the same numbers.
#include "systolic/stablehlo/convolution_numbers.h"
#include "systolic/stablehlo/verify/rules/families.h"
#include "systolic/stablehlo/verify/rules/quantized_product.h"

namespace systolic::inline v0 {
namespace stablehlo {

namespace {

struct Convolution {
  const OpVerifier& op;
  NamedValue lhs, rhs, result;
  ConvolutionNumbers numbers;
  Axes strides, lhs_dilation, rhs_dilation, padding;
  bool padding_known = true;
  int64_t feature_groups = 1, batch_groups = 1;
};

void verify_window(Convolution& c) {
  const OpVerifier& op = c.op;
  op.same_rank(1, c.rhs, c.lhs);
  const int64_t spatial = c.lhs.rank() - 2;
  const Axes ones(static_cast<size_t>(std::max<int64_t>(spatial, 0)), 1);
  // "stride = []" is what StableHLO's own programs write for ones.
  const auto axes_or_ones = [&](std::string_view name) {
    const Axes given = op.axes(name, ones);
    return given.empty() ? ones : given;
  };
  c.strides = axes_or_ones("window_strides");
  c.lhs_dilation = axes_or_ones("lhs_dilation");
  c.rhs_dilation = axes_or_ones("rhs_dilation");
  op.size_is(2, "window_strides", c.strides.size(), spatial);
  op.at_least(3, "window_strides", c.strides, 1);
  c.padding.assign(2 * ones.size(), 0);
  if (const Attribute* padding = op.find("padding")) {
    const Axes shape = op.shape_of(*padding);
    const bool fits = shape == Axes{spatial, 2} || (spatial == 0 && shape == Axes{0});
    const bool none = shape == Axes{0, 2};
    op.require(fits || none, 4, [&] {
      return Violation{"shape(padding)", str("[", join(shape), "]"), str("[", spatial, ", 2]")};
    });
    if (!none) c.padding = op.flat(*padding);
  }
  if (op.op().operands.size() > 2) {
    const NamedValue padding = op.operand(2, "padding");
    op.shape_is(4, padding, {spatial, 2});
    c.padding_known = false;
  }
  op.size_is(5, "lhs_dilation", c.lhs_dilation.size(), spatial);
  op.at_least(6, "lhs_dilation", c.lhs_dilation, 1);
  op.size_is(7, "rhs_dilation", c.rhs_dilation.size(), spatial);
  op.at_least(8, "rhs_dilation", c.rhs_dilation, 1);
  op.size_is(9, "window_reversal", axes_or_ones("window_reversal").size(), spatial);
}

// The spatial axes are N - 2; with the two others each axis of the array stands once.
void verify_layout(const OpVerifier& op, int size_label, int axes_label, std::string_view name,
                   const ConvolutionLayout& layout, int64_t rank) {
  op.size_is(size_label, str(name, "_spatial_dimensions"), layout.spatial.size(), rank - 2);
  Axes all = layout.spatial;
  all.insert(all.begin(), layout.first);
  all.push_back(layout.second);
  op.unique(axes_label, str(name, "_dimensions"), all);
  op.in_range(axes_label, str(name, "_dimensions"), all, rank);
}

void divides(const OpVerifier& op, int label, const NamedValue& value, int64_t axis,
             std::string_view name, int64_t divisor) {
  const int64_t size = value.dim(axis);
  op.require(size == dynamic_size || size % divisor == 0, label, [&] {
    return Violation{str("dim(", value.name, ", ", axis, ")"), str(size),
                     str("a multiple of ", name, " = ", divisor)};
  });
}

void verify_groups(Convolution& c) {
  const OpVerifier& op = c.op;
  op.at_least(21, "feature_group_count", {c.feature_groups}, 1);
  op.at_least(22, "batch_group_count", {c.batch_groups}, 1);
  op.require(c.feature_groups == 1 || c.batch_groups == 1, 23, [&] {
    return Violation{"feature_group_count and batch_group_count",
                     str(c.feature_groups, " and ", c.batch_groups), "one of them 1"};
  });
  const ConvolutionNumbers& n = c.numbers;
  divides(op, 10, c.lhs, n.input.first, "batch_group_count", c.batch_groups);
  divides(op, 11, c.lhs, n.input.second, "feature_group_count", c.feature_groups);
  const int64_t channels = c.lhs.dim(n.input.second);
  op.is(14, str("dim(rhs, ", n.kernel.first, ")"), c.rhs.dim(n.kernel.first),
        channels == dynamic_size ? channels : channels / c.feature_groups);
  divides(op, 15, c.rhs, n.kernel.second, "batch_group_count", c.batch_groups);
  divides(op, 16, c.rhs, n.kernel.second, "feature_group_count", c.feature_groups);
}

void verify_result_shape(const Convolution& c) {
  const OpVerifier& op = c.op;
  const ConvolutionNumbers& n = c.numbers;
  op.same_rank(26, c.result, c.lhs);
  const auto is = [&](int64_t axis, std::optional<int64_t> wanted) {
    if (wanted) op.is(25, str("dim(result, ", axis, ")"), c.result.dim(axis), *wanted);
  };
  const int64_t batch = c.lhs.dim(n.input.first);
  is(n.output.first, batch == dynamic_size ? batch : batch / c.batch_groups);
  is(n.output.second, c.rhs.dim(n.kernel.second));
  for (int64_t axis : n.kernel.spatial) {
    const int64_t size = c.rhs.dim(axis);
    op.require(size == dynamic_size || size > 0, 0, [&] {
      return Violation{str("dim(rhs, ", axis, "), of the window"), str(size), "1 or more"};
    });
  }
  for (size_t i = 0; c.padding_known && i < n.output.spatial.size(); ++i) {
    const WindowAxis axis{.size = c.rhs.dim(n.kernel.spatial[i]),
                          .stride = c.strides[i],
                          .low = c.padding[2 * i],
                          .high = c.padding[2 * i + 1],
                          .base_dilation = c.lhs_dilation[i],
                          .dilation = c.rhs_dilation[i]};
    is(n.output.spatial[i], num_windows(c.lhs.dim(n.input.spatial[i]), axis));
  }
}

void verify_elements(const Convolution& c) {
  const OpVerifier& op = c.op;
  const bool quantized =
      is_quantized(*c.lhs.type) || is_quantized(*c.rhs.type) || is_quantized(*c.result.type);
  if (!quantized) {
    op.same_element(27, c.rhs, c.lhs);
    // A wider result is what StableHLO's own programs have: i8 times i8 as i32.
    op.require(is_promotable(*c.lhs.type, *c.result.type), 27, [&] {
      return Violation{"element_type(result)", op.type_of(c.result),
                       str("the element type of lhs, ", op.type_of(c.lhs), ", or a wider one")};
    });
    return;
  }
  verify_quantized_product(op, {28, 31, 32, 33, 34});
  if (is_per_axis_quantized(*c.rhs.type)) {
    op.is(29, "quantization_dimension(rhs)", *c.rhs.type->quantization->axis,
          c.numbers.kernel.second);
  }
  if (is_per_axis_quantized(*c.result.type)) {
    op.is(30, "quantization_dimension(result)", *c.result.type->quantization->axis,
          c.numbers.output.second);
  }
}

}  // namespace

void verify_convolution(const OpVerifier& op) {
  Convolution c{op,
                op.operand(0, "lhs"),
                op.operand(1, "rhs"),
                op.result(),
                read_convolution_numbers(op.program(), op.required("dimension_numbers")),
                {},
                {},
                {},
                {}};
  c.feature_groups = op.integer("feature_group_count", 1);
  c.batch_groups = op.integer("batch_group_count", 1);
  verify_window(c);
  const int64_t rank = c.lhs.rank();
  verify_layout(op, 12, 13, "input", c.numbers.input, rank);
  verify_layout(op, 17, 18, "kernel", c.numbers.kernel, rank);
  verify_layout(op, 19, 20, "output", c.numbers.output, rank);
  verify_groups(c);
  if (const Attribute* config = op.find("precision_config")) {
    if (!config->items.empty()) op.size_is(24, "precision_config", config->items.size(), 2);
  }
  verify_result_shape(c);
  verify_elements(c);
}

}  // namespace stablehlo
}  // namespace systolic::inline v0
