// The gradient of softmax as a call of its kernel.
#pragma once

#include "backends/cpu/fuse/group.h"
#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

void lower_softmax_gradient(Planner& planner, const Group& group, const SoftmaxGradient& softmax);

}  // namespace cpu
}  // namespace systolic::inline v0
