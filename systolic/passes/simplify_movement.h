// Simplification of ops that move elements.
#pragma once

#include "systolic/passes/rewriter.h"

namespace systolic::inline v0 {
namespace passes {

// Ops that move nothing are removed; reshape of reshape, transpose of transpose, broadcast of
// broadcast become one op; slices of everything, padding by nothing and concatenation of one part
// are removed.
std::optional<ir::Value> simplify_movement(Rewriter& rewriter, const ir::Op& op,
                                           const ir::Type& result);

}  // namespace passes
}  // namespace systolic::inline v0
