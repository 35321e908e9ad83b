// Shape rules of reduce, reduce_window and select_and_scatter.
#include <algorithm>

#include "systolic/base/text.h"
#include "systolic/core/axes.h"
#include "systolic/ir/infer/infer_rules.h"
#include "systolic/ir/window.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

struct FoldLabels {
  std::string_view count, shapes, initial;
};

// Inputs and as many initial scalars of their types; returns the inputs.
std::span<const Type> fold_inputs(const InferInput& input, const FoldLabels& labels) {
  const size_t count = input.operands.size() / 2;
  if (count == 0 || input.operands.size() % 2 != 0) {
    raise_constraint(input, labels.count, str("there are ", input.operands.size(), " operands"),
                     "inputs and as many init_values");
  }
  for (size_t i = 0; i < count; ++i) {
    const Type &x = input.operands[i], &initial = input.operands[count + i];
    if (!(x.shape == input.operands[0].shape)) {
      raise_constraint(input, labels.shapes,
                       str("inputs ", to_string(input.operands[0]), " and ", to_string(x)),
                       "one shape");
    }
    check_scalar(input, labels.initial, "init_value", initial);
    check_same_dtype(input, labels.initial, initial, x);
  }
  return input.operands.first(count);
}

std::vector<Type> with_shape(const std::vector<DType>& dtypes, const Shape& shape) {
  std::vector<Type> types;
  for (DType dtype : dtypes) types.push_back({dtype, shape});
  return types;
}

}  // namespace

std::vector<Type> infer_reduce(const InferInput& input) {
  const std::span<const Type> inputs = fold_inputs(input, {"reduce_c3", "reduce_c1", "reduce_c2"});
  const Axes& axes = attributes_of<AxesAttributes>(input).axes;
  const Shape& shape = inputs[0].shape;
  check_range(input, "reduce_c4", "dimensions", axes, shape.rank());
  check_unique(input, "reduce_c5", "dimensions", axes);
  const std::vector<DType> dtypes = fold_types(input, "reduce_c6", 0, inputs);
  Axes sizes;
  for (int64_t axis : remaining_axes(shape.rank(), axes)) {
    sizes.push_back(shape[static_cast<int>(axis)]);
  }
  return with_shape(dtypes, Shape(sizes));
}

std::vector<Type> infer_reduce_window(const InferInput& input) {
  const std::span<const Type> inputs =
      fold_inputs(input, {"reduce_window_c1", "reduce_window_c2", "reduce_window_c3"});
  const WindowAttributes& a = attributes_of<WindowAttributes>(input);
  const Shape& shape = inputs[0].shape;
  const int rank = shape.rank();
  check_size(input, "reduce_window_c4", "window_dimensions", a.window_dimensions.size(), rank);
  check_at_least(input, "reduce_window_c5", "window_dimensions", a.window_dimensions, 1);
  check_size(input, "reduce_window_c6", "window_strides", a.window_strides.size(), rank);
  check_at_least(input, "reduce_window_c7", "window_strides", a.window_strides, 1);
  check_size(input, "reduce_window_c8", "base_dilations", a.base_dilations.size(), rank);
  check_at_least(input, "reduce_window_c9", "base_dilations", a.base_dilations, 1);
  check_size(input, "reduce_window_c10", "window_dilations", a.window_dilations.size(), rank);
  check_at_least(input, "reduce_window_c11", "window_dilations", a.window_dilations, 1);
  check_size(input, "reduce_window_c12", "padding", a.padding.size(), rank);
  const std::vector<DType> dtypes = fold_types(input, "reduce_window_c13", 0, inputs);
  Shape result = shape;
  for (int axis = 0; axis < rank; ++axis) {
    const auto i = static_cast<size_t>(axis);
    result.set(axis, window_count(shape[axis], window_axis(a, i)));
  }
  return with_shape(dtypes, result);
}

namespace {

// The op has no dilations: its attributes leave them out, or hold 1 for each axis.
void check_not_dilated(const InferInput& input, const WindowAttributes& a) {
  for (const Axes* dilations : {&a.base_dilations, &a.window_dilations}) {
    const bool ones = std::all_of(dilations->begin(), dilations->end(),
                                  [](int64_t dilation) { return dilation == 1; });
    const bool one_an_axis = dilations->size() == a.window_dimensions.size();
    if (ones && (one_an_axis || dilations->empty())) continue;
    raise_constraint(input, "select_and_scatter", str("dilations [", join(*dilations), "]"),
                     "none: its windows are not dilated");
  }
}

}  // namespace

std::vector<Type> infer_select_and_scatter(const InferInput& input) {
  const Type &x = input.operands[0], &source = input.operands[1], &initial = input.operands[2];
  const WindowAttributes& a = attributes_of<WindowAttributes>(input);
  const int rank = x.shape.rank();
  check_same_dtype(input, "select_and_scatter_c1", source, x);
  check_same_dtype(input, "select_and_scatter_c3", initial, x);
  check_scalar(input, "select_and_scatter_c3", "init_value", initial);
  check_size(input, "select_and_scatter_c4", "window_dimensions", a.window_dimensions.size(), rank);
  check_at_least(input, "select_and_scatter_c5", "window_dimensions", a.window_dimensions, 1);
  check_size(input, "select_and_scatter_c6", "window_strides", a.window_strides.size(), rank);
  check_at_least(input, "select_and_scatter_c7", "window_strides", a.window_strides, 1);
  check_size(input, "select_and_scatter_c8", "padding", a.padding.size(), rank);
  check_not_dilated(input, a);
  Shape windows = x.shape;
  for (int axis = 0; axis < rank; ++axis) {
    const auto i = static_cast<size_t>(axis);
    windows.set(axis, window_count(x.shape[axis], {.window = a.window_dimensions[i],
                                                   .stride = a.window_strides[i],
                                                   .padding_low = a.padding[i].first,
                                                   .padding_high = a.padding[i].second}));
  }
  if (!(windows == source.shape)) {
    raise_constraint(
        input, "select_and_scatter_c2",
        str("source is ", to_string(source), ", operand ", to_string(x)),
        str("a source of shape ", to_string(windows), ", one element for each window"));
  }
  const Type scalar{x.dtype, {}};
  check_region_arguments(input, "select_and_scatter_c9", 0, std::vector<Type>{scalar, scalar});
  const std::vector<Type> chosen = region_results(input, 0);
  if (chosen.size() != 1 || !(chosen[0] == Type{DType::pred, {}})) {
    raise_constraint(input, "select_and_scatter_c9", str("select returns (", join(chosen), ")"),
                     "(pred[])");
  }
  const std::vector<DType> dtypes =
      fold_types(input, "select_and_scatter_c10", 1, std::span(&x, 1));
  return with_shape(dtypes, x.shape);
}

}  // namespace ir
}  // namespace systolic::inline v0
