// Two loops of which one computes all that the other does: the other is left out.
//
// The gradient of a loop runs it once more and records what the way back needs (autodiff's rule of
// while). What the first run computed for those who read its results, the second computes as well.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace passes {

// Looks for two `while` of a block whose trips are counted alike, where each result of the first
// that somebody reads is carried by the second, too, from the same start by the same ops. The
// second takes the first one's place, and what it needs moves before it. Loops with side effects
// stay. Equal values must be one already (share_subexpressions).
ir::Module share_loops(ir::Module module);

}  // namespace passes
}  // namespace systolic::inline v0
