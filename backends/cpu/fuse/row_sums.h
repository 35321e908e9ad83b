// Scatters of rows whose result is never stored: those who read it sum the rows they need.
//
// The gradient of an embedding is a table of zeros with a sum in the rows that a step looked up,
// and is read by the optimizer's update of the same shape, and perhaps by a norm. Both walk the
// table row by row anyway; a row that was not looked up is zero without being read from memory.
#pragma once

#include <vector>

#include "backends/cpu/fuse/group.h"
#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

// Marks the groups of f32 scatters that add fewer rows than the table has to zeros, where only
// elementwise groups read the result, as it lies.
void find_row_sums(const Planner& planner, std::vector<Group>& groups);

}  // namespace cpu
}  // namespace systolic::inline v0
