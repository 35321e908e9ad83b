// How often elementwise groups read each value element by element, as it lies: a value that nobody
// reads in another way need not be stored.
#pragma once

#include <unordered_map>
#include <vector>

#include "backends/cpu/fuse/group.h"
#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

// By value; operands count, so an op may read a value twice.
using ElementReads = std::unordered_map<ir::ValueId, int>;

ElementReads element_reads(const Planner& planner, const std::vector<Group>& groups);

}  // namespace cpu
}  // namespace systolic::inline v0
