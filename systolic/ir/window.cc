#include "systolic/ir/window.h"

#include "systolic/core/axes.h"

namespace systolic::inline v0 {
namespace ir {

WindowAxis window_axis(const WindowAttributes& a, size_t axis) {
  const auto number = [axis](const Axes& list) { return list.empty() ? 1 : list[axis]; };
  WindowAxis result{.window = a.window_dimensions[axis],
                    .stride = number(a.window_strides),
                    .base_dilation = number(a.base_dilations),
                    .window_dilation = number(a.window_dilations)};
  if (!a.padding.empty()) {
    result.padding_low = a.padding[axis].first;
    result.padding_high = a.padding[axis].second;
  }
  return result;
}

std::vector<WindowAxis> window_axes(const WindowAttributes& attributes) {
  std::vector<WindowAxis> axes;
  for (size_t i = 0; i < attributes.window_dimensions.size(); ++i) {
    axes.push_back(window_axis(attributes, i));
  }
  return axes;
}

WindowAxis window_axis(const ConvolutionAttributes& a, size_t axis, const Shape& kernel) {
  return {.window = kernel[static_cast<int>(a.kernel_spatial_dimensions[axis])],
          .stride = a.window_strides[axis],
          .base_dilation = a.lhs_dilation[axis],
          .window_dilation = a.rhs_dilation[axis],
          .padding_low = a.padding[axis].first,
          .padding_high = a.padding[axis].second};
}

ConvolutionAttributes channels_last_convolution(int64_t spatial_axes) {
  const auto count = static_cast<size_t>(spatial_axes);
  ConvolutionAttributes a;
  a.window_strides = a.lhs_dilation = a.rhs_dilation = Axes(count, 1);
  a.padding = Padding(count, {0, 0});
  a.window_reversal = std::vector<bool>(count, false);
  a.input_feature_dimension = a.output_feature_dimension = spatial_axes + 1;
  a.input_spatial_dimensions = a.output_spatial_dimensions = axes_from(1, spatial_axes);
  a.kernel_input_feature_dimension = spatial_axes;
  a.kernel_output_feature_dimension = spatial_axes + 1;
  a.kernel_spatial_dimensions = axes_from(0, spatial_axes);
  return a;
}

}  // namespace ir
}  // namespace systolic::inline v0
