// Any convolution that StableHLO allows, by its definition: for the shapes and types that no kernel
// has.
#pragma once

#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

void lower_plain_convolution(Planner& planner, const ir::Op& op);

}  // namespace cpu
}  // namespace systolic::inline v0
