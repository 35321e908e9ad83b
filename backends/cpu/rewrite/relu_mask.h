// The derivative of relu asks `x > 0` of its input. Its output answers as well, and then the input
// need not be kept: the bias and the maximum can become part of the matmul or convolution before
// them.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// Where y = maximum(x, 0) stands before compare(x, 0, GT), makes it compare(y, 0, GT). Exact, for
// NaN too.
void ask_relu_output(ir::Module& module);

}  // namespace cpu
}  // namespace systolic::inline v0
