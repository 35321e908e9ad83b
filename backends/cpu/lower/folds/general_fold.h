// reduce and reduce_window with a region of any kind, and of several arrays at once.
#pragma once

#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// Folds index after index of the reduced axes, over all kept elements at a time.
void lower_general_reduce(Planner& planner, const ir::Op& op);
// Folds position after position of the window; the padding holds the initial value.
void lower_general_reduce_window(Planner& planner, const ir::Op& op);

}  // namespace cpu
}  // namespace systolic::inline v0
