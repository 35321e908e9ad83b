// Convolutions with few inputs for each output (a first layer: 3x3x1, 7x7x3) as a matrix product
// with the patches of the image that each output pixel sees. Internal.
//
// A patch holds kernel_height * kernel_width * in_channels numbers and a 1, which takes the bias
// with it, forwards and backwards. Patches of a block of pixels are gathered into the first-level
// cache; the result is as good as bound by reading or writing the output once.
#pragma once

#include "backends/cpu/kernels/convolution/convolution_implementation.h"

namespace systolic::inline v0 {
namespace kernels {

// One group, a patch of at most 256 numbers, and f32, bf16 or f16.
bool patches_can_do(const ConvolutionShape& shape, DType dtype);

ForwardImplementation make_patches_forward(const ConvolutionShape& shape,
                                           const ConvolutionForwardOptions& options, int threads);
// Gradients of weights and bias only.
BackwardImplementation make_patches_backward(const ConvolutionShape& shape,
                                             const ConvolutionBackwardOptions& options,
                                             int threads);

}  // namespace kernels
}  // namespace systolic::inline v0
