// When the optimizer's updates run. Programs have them at their end, behind all of the backward
// pass: the gradients wait there in memory, or, where their products run with the update, what
// these multiply does. Right behind its product an update finds the gradient in the caches.
#pragma once

#include <vector>

#include "backends/cpu/fuse/group.h"

namespace systolic::inline v0 {
namespace cpu {

// Moves each elementwise group that reads a product, and of which the block reads nothing, to
// right behind the last group that it waits for: one that makes what it reads, one that reads an
// argument which it may write over, or one that can fail while it runs (a loop, a collective),
// after which arguments should be as they were. It is then `early`.
void run_updates_early(const Planner& planner, const ir::Block& block, std::vector<Group>& groups);

}  // namespace cpu
}  // namespace systolic::inline v0
