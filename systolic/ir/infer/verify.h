// Checks a whole module: every operand is defined before its use and has the type that its op
// wants, results are as inferred, regions are closed, aliases and shardings are in range. It finds
// a pass that breaks a module.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace ir {

// Raises InvalidArgument naming function, op and location at the first fault.
void verify(const Module& module);

}  // namespace ir
}  // namespace systolic::inline v0
