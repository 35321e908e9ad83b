// The transpose of a matrix product is the product of the operands exchanged and transposed, and
// the kernels read transposed operands as they are: gradients of weights are often written so.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// Where only a transpose reads a dot_general, and the last axis of what it gives is one of the
// left operand's, the operands change places. The transpose is then of fewer axes, or none at all.
void turn_products(ir::Module& module);

}  // namespace cpu
}  // namespace systolic::inline v0
