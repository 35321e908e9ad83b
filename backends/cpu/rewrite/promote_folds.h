// Folds in a wider type than their arrays': StableHLO lets the region of a reduce, reduce_window,
// scatter or select_and_scatter sum bf16 in f32.
#pragma once

#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// Converts the arrays first, so that each fold has one type. What select_and_scatter selects by
// keeps its own. Reduces of scalars become plain ops.
void promote_folds(ir::Module& module);

}  // namespace cpu
}  // namespace systolic::inline v0
