// Simplification of ops that move elements.
#pragma once

#include "systolic/passes/rewriter.h"

namespace systolic::inline v0 {
namespace passes {

// What moves nothing goes; reshape of reshape, transpose of transpose, broadcast of broadcast
// become one; slices of all, padding by nothing, concatenation of one part go.
std::optional<ir::Value> simplify_movement(Rewriter& rewriter, const ir::Op& op,
                                           const ir::Type& result);

}  // namespace passes
}  // namespace systolic::inline v0
