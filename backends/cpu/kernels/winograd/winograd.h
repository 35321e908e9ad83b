// Winograd convolutions F(4x4, 3x3): 3x3 kernels with stride 1 and no dilation or groups, padding 0
// to 2, f32.
//
// It needs a quarter of the multiply-adds of the direct way, plus transforms whose cost is linear
// in the channels: it pays off from about 16 channels on (convolution_choice.h). Rounding errors
// are 3 to 7 times those of the direct way: relative rms error about 3e-6. The plain steps are in
// winograd_kernels.h. Internal.
#pragma once

#include "backends/cpu/kernels/convolution/convolution_implementation.h"

namespace systolic::inline v0 {
namespace kernels {

bool winograd_can_do(const ConvolutionShape& shape, DType dtype);

// Each thread takes chunks of rows of tiles, sized for its second-level cache: input transform, 36
// products, output transform with bias and relu.
ForwardImplementation make_winograd_forward(const ConvolutionShape& shape,
                                            const ConvolutionForwardOptions& options, int threads);

// Both gradients share the transform of dy (with the relu mask and the bias gradient in it). Where
// the transformed weights are small, threads work on slices of the batch and their sums are added
// at the end, in a fixed order; where they are large, all threads work on one chunk and one sum.
BackwardImplementation make_winograd_backward(const ConvolutionShape& shape,
                                              const ConvolutionBackwardOptions& options,
                                              int threads);

}  // namespace kernels
}  // namespace systolic::inline v0
