// What the region of a reduction does.
#pragma once

#include <optional>

#include "backends/cpu/kernels/reduce/reduce.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// The one op that folds the region's two arguments into its result; nothing for other regions.
std::optional<ir::OpCode> fold_op(const ir::Block& region);
// The same for which the kernels have a loop.
std::optional<kernels::ReduceKind> fold_kind(const ir::Block& region);
// A reduce of one array with such a region and a type that the kernels know.
bool is_plain_reduction(const Planner& planner, const ir::Op& op);

}  // namespace cpu
}  // namespace systolic::inline v0
