// Convolutions of every shape and the float types by oneDNN. Internal.
//
// bf16 goes to oneDNN as it is where the processor multiplies bf16; elsewhere bf16 and f16 are
// converted to f32 group of images by group, and back.
#pragma once

#include "backends/cpu/kernels/convolution/convolution_implementation.h"

namespace systolic::inline v0 {
namespace kernels {

// Null if oneDNN has no such convolution: other types, negative padding.
ForwardImplementation make_direct_forward(const ConvolutionShape& shape,
                                          const ConvolutionForwardOptions& options, int threads);
BackwardImplementation make_direct_backward(const ConvolutionShape& shape,
                                            const ConvolutionBackwardOptions& options, int threads);

}  // namespace kernels
}  // namespace systolic::inline v0
