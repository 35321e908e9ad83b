// Weights in f32 that are rounded to bf16 for products alone: those that pack them for the matrix
// unit round them as they do, so that the rounded ones need not be stored.
#pragma once

#include <vector>

#include "backends/cpu/fuse/group.h"
#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

// Marks roundings of arguments to bf16 that only the block's products read, as right operands that
// all of them can pack, as far as shapes say.
void find_rounded_operands(const Planner& planner, std::vector<Group>& groups);

}  // namespace cpu
}  // namespace systolic::inline v0
