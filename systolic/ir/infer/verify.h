// Checks a whole module: every operand defined before its use and of the type its op wants, results
// as inferred, regions closed, aliases and shardings in range. A pass that breaks a module is found
// here.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace ir {

// Raises InvalidArgument naming function, op and location at the first fault.
void verify(const Module& module);

}  // namespace ir
}  // namespace systolic::inline v0
