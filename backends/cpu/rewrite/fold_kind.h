// What the region of a reduction does.
#pragma once

#include <optional>

#include "backends/cpu/kernels/reduce/reduce.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// How the kernels fold as the region does (ir::fold_op); nothing for other regions.
std::optional<kernels::ReduceKind> fold_kind(const ir::Block& region);
// A reduce of one array with such a region and a type that the kernels know.
bool is_plain_reduction(const Planner& planner, const ir::Op& op);

}  // namespace cpu
}  // namespace systolic::inline v0
