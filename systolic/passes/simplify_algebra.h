// Algebraic simplification: identities of arithmetic and conversions.
#pragma once

#include "systolic/ir/module.h"
#include "systolic/passes/rewriter.h"

namespace systolic::inline v0 {
namespace passes {

// x + 0, x - 0, x * 1, x / 1, -(-x), max(x, x), and(x, true), select(true, x, y), select(p, x, x),
// conversions to the type that a value has or had. Only what is exact for every x, NaN and -0
// included: x * 0 and x - x stay, and x + 0 is removed only where the zero is -0 or x an integer.
std::optional<ir::Value> simplify_algebra(Rewriter& rewriter, const ir::Op& op,
                                          const ir::Type& result);

}  // namespace passes
}  // namespace systolic::inline v0
