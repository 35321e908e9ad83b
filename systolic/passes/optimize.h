// The passes by which the software TPU simplifies a program before it plans it.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace passes {

struct OptimizeOptions {
  // Drops optimization_barrier, which stands for stop_gradient: only after autodiff.
  bool drop_barriers = false;
};

// Calls inlined, constants folded, algebra and movement simplified, common subexpressions shared,
// dead code removed. Results are bit for bit those of the module given.
ir::Module optimize(const ir::Module& module, OptimizeOptions options = {});

}  // namespace passes
}  // namespace systolic::inline v0
