// Scatters that have no kernel of their own: several arrays, complex numbers, a region of any kind.
#pragma once

#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// One update after the other, in row-major order.
void lower_general_scatter(Planner& planner, const ir::Op& op);

// select_and_scatter: each window chooses by asking the first region about two elements at a time,
// and folds its update in by the second.
void lower_general_select_and_scatter(Planner& planner, const ir::Op& op);

}  // namespace cpu
}  // namespace systolic::inline v0
