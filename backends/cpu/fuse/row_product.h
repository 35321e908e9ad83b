// Matrix products whose rows an elementwise cluster takes as they are summed.
//
// The gradient of a layer's weights is read once, by the optimizer's update of the same shape. So
// that it never goes to memory, each thread sums some rows of it and updates those rows' weights
// and slots, which then lie in that thread's cache in the next step too.
#pragma once

#include <vector>

#include "backends/cpu/fuse/group.h"
#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

// Gives elementwise groups the products that they alone read; those products' own groups go.
void join_products(const Planner& planner, std::vector<Group>& groups);

}  // namespace cpu
}  // namespace systolic::inline v0
