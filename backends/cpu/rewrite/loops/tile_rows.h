// A product so large that no cache holds it, of which nobody wants more than what comes from its
// rows, is computed some rows at a time and never stored whole: a language model's logits, whose
// cross-entropy is a number for each row, and whose gradient's rows make the row of the gradient
// before them and add to that of the weights.
#pragma once

#include "backends/cpu/rewrite/loops/row_region.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

//   logits = dot(h, w); loss = f(logits); g = f'(logits); dh = dot(g, w); dw = dot(g, h)
//
// becomes a loop over tiles of the rows of h, which writes its rows of loss and dh and adds to dw
// (find_row_region says which ops are in it).
void tile_rows(ir::Module& module, const TileLimits& limits = {});

}  // namespace cpu
}  // namespace systolic::inline v0
