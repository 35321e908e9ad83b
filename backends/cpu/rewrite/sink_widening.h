// Conversions of bf16 and f16 to f32 move down to where their result is read. What comes before is
// then next to what it belongs with (the gradients of one convolution), and the wide copy lives
// shorter.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

void sink_widening(ir::Module& module);

}  // namespace cpu
}  // namespace systolic::inline v0
