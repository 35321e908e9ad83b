// Sums over the processes that a loop only adds up, round by round, are taken once after it:
//
//   while { s += transpose(all_reduce(x)) }
//
// becomes `while { t += transpose(x) }`, with t from zero on, and after it s += all_reduce(t).
//
// JAX's scan adds up the gradients of weights in this way, and so does a loop over the parts of a
// batch. The sum may go through transposes, reshapes, signs, and products with what is the same in
// all processes, and several sums may be added up in a round. XLA's pass of this kind is
// WhileLoopAllReduceCodeMotion (xla/service).
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace passes {

// `module`: as partition() makes it. Rounding apart, its results stay as they are.
ir::Module sum_after_loops(ir::Module module);

}  // namespace passes
}  // namespace systolic::inline v0
