// Dead code elimination.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace passes {

// The module without ops whose results nothing reads, in regions too. Arguments are kept. No op of
// a program has an effect besides its results, not even a collective: all cores run the same
// program.
ir::Module eliminate_dead_code(ir::Module module);

}  // namespace passes
}  // namespace systolic::inline v0
