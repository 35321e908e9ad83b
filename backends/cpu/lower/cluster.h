// Clusters of elementwise ops as one fused kernel.
#pragma once

#include "backends/cpu/fuse/group.h"
#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

// All values of the group that somebody outside reads are written; the others never exist.
void lower_cluster(Planner& planner, const Group& group);
// The same, taking the rows of the group's product as they are summed.
void lower_product_cluster(Planner& planner, const Group& group);
// The group's last op is a reduce that takes the cluster's only result as it is computed.
void lower_reducing_cluster(Planner& planner, const Group& group);

}  // namespace cpu
}  // namespace systolic::inline v0
