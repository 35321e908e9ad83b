// The gradients of a convolution as one call of their kernel.
#pragma once

#include "backends/cpu/fuse/group.h"
#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

// Op by op where they are not the gradients of one forward pass in the kernels' layout.
void lower_convolution_gradients(Planner& planner, const Group& group,
                                 const ConvolutionGradients& gradients);

}  // namespace cpu
}  // namespace systolic::inline v0
