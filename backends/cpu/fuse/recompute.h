// Values that those who read them compute again instead of reading them from memory.
//
// An activation such as GELU, erf(x / sqrt(2)) and what is made of it, is needed again by its
// gradient. All of it follows from the one x, which a matrix product has stored: where the
// gradient's elementwise ops compute it from x once more, x alone waits for them, instead of four
// arrays of its size that are written, pushed out of the caches and read again.
#pragma once

#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// Gives elementwise ops copies of the ops that make what they read, where these stand in another
// cluster (group.h), start from one product that is no wider, besides numbers and small arrays that
// are repeated (as a bias is), and are cheaper than the way through memory. A copy may differ from
// the original by rounding, so none reaches a comparison or another op that jumps. Small arrays
// stay as they are: the caches hold them. Call it last, since passes that merge equal ops would
// undo it.
ir::Module recompute_cheap_values(const ir::Module& module, LowerBlock lower_block);

}  // namespace cpu
}  // namespace systolic::inline v0
