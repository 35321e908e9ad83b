// The gradient of a convolution's weights, bf16, by the matrix unit (amx.h).
//
// For one tap of the kernel it is a matrix product that sums over pixels: dy, turned so that its
// pixels lie along rows, times x, shifted by the tap. Both are laid out flat with the rows of x: dy
// is 0 where a row of x is longer. x is packed in pairs of pixels, once from the even and once from
// the odd ones on, so that every shift is one of whole pairs. Internal.
#pragma once

#include "backends/cpu/kernels/convolution/convolution_implementation.h"

namespace systolic::inline v0 {
namespace kernels {

// Strides of 1, no groups, and enough channels to fill the unit's tiles.
bool amx_can_sum_weights(const ConvolutionShape& shape, const ConvolutionBackwardOptions& options);

// Gradients of which the matrix unit computes that of the weights, and of the bias; oneDNN computes
// that of x. Null where there is no matrix unit or the shape does not suit it.
BackwardImplementation make_amx_backward(const ConvolutionShape& shape,
                                         const ConvolutionBackwardOptions& options, int threads);

}  // namespace kernels
}  // namespace systolic::inline v0
