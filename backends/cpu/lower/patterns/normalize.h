// Normalization of rows as one step.
#pragma once

#include "backends/cpu/fuse/group.h"
#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

// Emits the steps of a pattern of this kind.
void lower_normalization(Planner& planner, const Group& group, const Normalization& normalization);

}  // namespace cpu
}  // namespace systolic::inline v0
