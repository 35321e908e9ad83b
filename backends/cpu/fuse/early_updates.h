// When the optimizer's updates run. Programs have them at their end, after all of the backward
// pass: the gradients wait there in memory, or, where their products run with the update, what
// these multiply does. Right after its product an update finds the gradient in the caches.
#pragma once

#include <vector>

#include "backends/cpu/fuse/group.h"

namespace systolic::inline v0 {
namespace cpu {

// Moves each elementwise group that reads a matrix product, and from which the block reads nothing,
// to right after the last group that it waits for: those that make what it reads, those that read
// an argument whose memory it takes, and those before it that can fail while they run (control
// flow, a collective, a call of other code), after which arguments should be as they were. Groups
// that make scalars, which updates read, move likewise. Where the last of those that it waits for
// stands before it, a group is `early`. Nothing moves towards the end.
void run_updates_early(const Planner& planner, const ir::Block& block, std::vector<Group>& groups);

}  // namespace cpu
}  // namespace systolic::inline v0
