// A branch on the device stores what it chooses, and what it leaves as it was is copied with it. Of
// branches that only compute element by element both are computed and each element is chosen, in
// the pass over memory that updates it in place: optimizers that update after several batches
// (gradient_accumulation_steps) are such.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// An `if` whose branches hold a few elementwise ops for each result, with broadcasts, reshapes and
// constants, but none that is dear (exp, pow, ...) on more than a scalar, becomes both branches and
// a select of each result.
void select_branches(ir::Module& module);

}  // namespace cpu
}  // namespace systolic::inline v0
