// Patterns as calls of their kernels.
#pragma once

#include "backends/cpu/fuse/pattern.h"
#include "backends/cpu/plan/planner.h"

namespace systolic::inline v0 {
namespace cpu {

void lower_pattern(Planner& planner, const Pattern& pattern);

}  // namespace cpu
}  // namespace systolic::inline v0
