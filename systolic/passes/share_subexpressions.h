// Common subexpression elimination.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace passes {

// The module without ops that compute what an earlier op has computed, from the same values with
// the same attributes. Ops with regions are kept. Dead code is not removed.
ir::Module share_subexpressions(ir::Module module);

}  // namespace passes
}  // namespace systolic::inline v0
