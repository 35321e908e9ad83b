// Weights rounded to bf16 for products alone: the step that packs them rounds them as well, and
// they are never stored in between.
#pragma once

#include <vector>

#include "backends/cpu/fuse/group.h"
#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

// Marks conversions from f32 to bf16 that only the block's products read, as their right operands.
void find_rounded_operands(const Planner& planner, std::vector<Group>& groups);

}  // namespace cpu
}  // namespace systolic::inline v0
