// Constant folding of what stays small.
#pragma once

#include "systolic/passes/rewriter.h"

namespace systolic::inline v0 {
namespace passes {

// Arithmetic, conversions, reshapes and broadcasts of constants of at most 64 elements, with the
// device's rounding: f32 in f32, bf16 through f32, integers wrap. A scalar that is broadcast stays
// a broadcast, since kernels make use of it. Ops whose rounding differs between backends
// (exponential, ...) are not folded.
std::optional<ir::Value> fold_constants(Rewriter& rewriter, const ir::Op& op,
                                        const ir::Type& result);

}  // namespace passes
}  // namespace systolic::inline v0
