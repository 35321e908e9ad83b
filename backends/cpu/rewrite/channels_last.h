// Convolutions compute with channels last (NHWC). Programs of PyTorch, and many of JAX, have them
// before the image's axes (NCHW): between two of their convolutions each array would be turned
// twice, and what is joined to a convolution (bias, relu and its gradient) would stand apart.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// Gives the results of convolutions channels last, and so what elementwise ops, pooling and
// reductions make of them in the main function, outside loops and branches. Whatever else reads
// such a value reads a transpose of it, which costs nothing where it meets its inverse.
ir::Module put_channels_last(const ir::Module& module);

}  // namespace cpu
}  // namespace systolic::inline v0
