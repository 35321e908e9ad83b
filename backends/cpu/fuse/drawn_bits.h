// Random bits that are never stored: the elementwise ops that read them draw them, tile by tile.
//
// Dropout draws a word for each element, compares it with the rate and forgets it. A word is a
// function of the state and its position alone (kernels/random/random.h), so whoever reads it can
// draw it when it is wanted, into the nearest cache.
#pragma once

#include <vector>

#include "backends/cpu/fuse/group.h"
#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

// Marks the groups of Philox's 32-bit draws that one elementwise group alone reads, in order, or
// nobody: two groups would take longer to draw them twice than to read them.
void find_drawn_bits(const Planner& planner, std::vector<Group>& groups);

}  // namespace cpu
}  // namespace systolic::inline v0
