// Computes of each value only the part that somebody needs.
//
// A classifier reads the first of a transformer's positions: of its last layer the others are
// needed as keys and values only, forward and backward. The slice stands after that layer, and the
// pad that is its gradient before it; between them lies most of the layer's arithmetic.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// Moves paddings with zeros after the ops that keep zeros: sums over what is padded leave it out,
// products with it take a part of the other factor. What is 0 times something is 0, also where that
// something is not finite. 0 over something stays a division, and is NaN over 0, unless the program
// shows that the divisor is not 0 (signs.h).
ir::Module hoist_pads(const ir::Module& module);

// Replaces ops by those of the part of their results that is read, by slices, or by ops that are
// replaced themselves.
ir::Module narrow_values(const ir::Module& module);

}  // namespace cpu
}  // namespace systolic::inline v0
