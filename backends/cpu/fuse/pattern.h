// Finds groups of ops for which there is one kernel.
#pragma once

#include <vector>

#include "backends/cpu/fuse/group.h"
#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// The patterns in a block; none shares an op with another.
std::vector<Group> find_patterns(const Planner& planner, const ir::Block& block);

}  // namespace cpu
}  // namespace systolic::inline v0
