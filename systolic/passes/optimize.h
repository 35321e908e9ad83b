// The passes by which the software TPU simplifies a program before it plans it.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace passes {

// Calls inlined, constants folded, algebra and movement simplified, common subexpressions shared,
// dead code removed. Results are bit for bit those of the module given. An optimization_barrier
// stays, and nothing is shared or folded across it.
ir::Module optimize(const ir::Module& module);

// Takes the optimization_barriers out. What they kept apart may then be shared: call it after the
// last optimize().
void drop_barriers(ir::Module& module);

}  // namespace passes
}  // namespace systolic::inline v0
