// The windows of ops: each axis, and the usual windows to start from.
#pragma once

#include "systolic/core/shape.h"
#include "systolic/core/window.h"
#include "systolic/ir/attributes.h"

namespace systolic::inline v0 {
namespace ir {

// Axis `axis` of the operand of reduce_window or select_and_scatter; attributes that are left out
// mean 1, or no padding.
WindowAxis window_axis(const WindowAttributes& attributes, size_t axis);
// All axes of the operand.
std::vector<WindowAxis> window_axes(const WindowAttributes& attributes);

// Spatial axis `axis` of a convolution; `kernel` is the shape of its second operand.
WindowAxis window_axis(const ConvolutionAttributes& attributes, size_t axis, const Shape& kernel);

// Images [batch, spatial..., channels] and kernels [spatial..., in, out]: Keras's "channels_last".
// The window moves by one, without padding, dilation, reversal or groups.
//
//   ConvolutionAttributes a = channels_last_convolution(2);
//   a.padding = {{1, 1}, {1, 1}};
ConvolutionAttributes channels_last_convolution(int64_t spatial_axes);

}  // namespace ir
}  // namespace systolic::inline v0
