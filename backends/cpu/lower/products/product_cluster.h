// A matrix product and the cluster that takes its rows, as one step.
#pragma once

#include "backends/cpu/fuse/group.h"
#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

// As lower_cluster(), taking the rows of the cluster's product as they are summed.
void lower_product_cluster(Planner& planner, const Group& group, const ProductCluster& cluster);

}  // namespace cpu
}  // namespace systolic::inline v0
