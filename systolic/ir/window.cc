#include "systolic/ir/window.h"

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

}  // namespace ir
}  // namespace systolic::inline v0
