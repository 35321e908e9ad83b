// The windows of ops, axis by axis.
#pragma once

#include "systolic/core/shape.h"
#include "systolic/core/window.h"
#include "systolic/ir/attributes.h"

namespace systolic::inline v0 {
namespace ir {

// Axis `axis` of the operand of reduce_window or select_and_scatter; what an attribute leaves out
// is 1, or no padding.
WindowAxis window_axis(const WindowAttributes& attributes, size_t axis);
// All axes of the operand.
std::vector<WindowAxis> window_axes(const WindowAttributes& attributes);

// Spatial axis `axis` of a convolution; `kernel` is the shape of its second operand.
WindowAxis window_axis(const ConvolutionAttributes& attributes, size_t axis, const Shape& kernel);

}  // namespace ir
}  // namespace systolic::inline v0
