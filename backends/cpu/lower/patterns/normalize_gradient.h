// The gradient of a normalization of rows, as one step; and one more for sums of columns.
#pragma once

#include "backends/cpu/fuse/group.h"
#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

void lower_normalization_gradient(Planner& planner, const Group& group,
                                  const NormalizationGradient& gradient);

}  // namespace cpu
}  // namespace systolic::inline v0
