// Clusters of elementwise ops as one fused kernel; those of a product: products/product_cluster.h.
#pragma once

#include <span>

#include "backends/cpu/fuse/group.h"
#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

// Elementwise ops of one shape as one step. All values that somebody outside reads are written; the
// others never exist.
void lower_ops_together(Planner& planner, std::span<const ir::Op* const> ops);

void lower_cluster(Planner& planner, const Group& group, const ElementwiseCluster& cluster);
// The group's last op is a reduce that takes the cluster's only result as it is computed.
void lower_reducing_cluster(Planner& planner, const Group& group, const ReducingCluster& cluster);

}  // namespace cpu
}  // namespace systolic::inline v0
