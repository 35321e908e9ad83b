// Which algorithm a convolution runs.
//
// SYSTOLIC_CONV=direct or =winograd in the environment overrides the choice where the algorithm can
// do the shape; it is read when a plan is made.
#pragma once

#include "backends/cpu/kernels/convolution/convolution.h"

namespace systolic::inline v0 {
namespace kernels {

enum class ConvolutionPass { forward, backward, weights_only };

// patches where each output sums few products (a first layer), else winograd or direct by a model
// of their cost per 4x4 tile of the output, in multiply-adds:
//   direct    9 * in * out for each pixel that exists
//   winograd  40 * in * out, and 560 for each input and each output channel for the transforms
// bf16 goes to oneDNN where the processor multiplies it. The model gives the measured ratios (AVX2,
// 26x26 pixels, batch 200): 3.3 with 256 channels, 1.9 with 32.
ConvolutionMethod choose_convolution(const ConvolutionShape& shape, DType dtype,
                                     ConvolutionPass pass);

}  // namespace kernels
}  // namespace systolic::inline v0
