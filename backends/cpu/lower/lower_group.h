// From a group of ops to its steps, by the group's kind.
#pragma once

#include "backends/cpu/fuse/group.h"
#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

void lower_group(Planner& planner, const Group& group);

}  // namespace cpu
}  // namespace systolic::inline v0
