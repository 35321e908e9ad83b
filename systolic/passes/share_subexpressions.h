// Common subexpression elimination.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace passes {

// The module in which an op that computes what an earlier one has computed, from the same values
// with the same attributes, is left out. Ops with regions are kept. Dead code stays behind.
ir::Module share_subexpressions(ir::Module module);

}  // namespace passes
}  // namespace systolic::inline v0
