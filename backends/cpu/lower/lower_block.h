// From ops to steps. lower_block() groups the ops of a block, then lowers group by group
// (lower_group.h); the groups of one op through the table of ops.
#pragma once

#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

void lower_block(Planner& planner, const ir::Block& block);

// Lowers one op: its operands are there, its results must be defined.
using Lowering = void (*)(Planner& planner, const ir::Op& op);

// The row of the table for an op; every op has one.
Lowering lowering_of(ir::OpCode code);

}  // namespace cpu
}  // namespace systolic::inline v0
