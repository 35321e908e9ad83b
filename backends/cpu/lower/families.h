// The lowerings by op family; lower_block.cc holds the table.
#pragma once

#include "backends/cpu/plan/planner.h"
#include "systolic/ir/module.h"

namespace systolic::inline v0 {
namespace cpu {

// One op alone, with whatever types it has: those that clusters cannot take (complex numbers).
void lower_elementwise(Planner& planner, const ir::Op& op);
// A view of the operand; nothing runs.
void lower_view(Planner& planner, const ir::Op& op);

void lower_bitcast(Planner& planner, const ir::Op& op);
void lower_core_id(Planner& planner, const ir::Op& op);

void lower_concatenate(Planner& planner, const ir::Op& op);
void lower_dynamic_slice(Planner& planner, const ir::Op& op);
void lower_dynamic_update_slice(Planner& planner, const ir::Op& op);
void lower_gather(Planner& planner, const ir::Op& op);
void lower_pad(Planner& planner, const ir::Op& op);
// A scatter whose readers sum its rows (fuse/row_sums.h).
void lower_row_sums(Planner& planner, const ir::Op& op);
void lower_scatter(Planner& planner, const ir::Op& op);
void lower_sort(Planner& planner, const ir::Op& op);

void lower_convolution(Planner& planner, const ir::Op& op);
void lower_dot_general(Planner& planner, const ir::Op& op);
void lower_fft(Planner& planner, const ir::Op& op);

void lower_reduce(Planner& planner, const ir::Op& op);
void lower_reduce_window(Planner& planner, const ir::Op& op);
void lower_select_and_scatter(Planner& planner, const ir::Op& op);

void lower_random(Planner& planner, const ir::Op& op);
// Bits that their reader draws (fuse/drawn_bits.h).
void lower_drawn_bits(Planner& planner, const ir::Op& op);

void lower_case(Planner& planner, const ir::Op& op);
void lower_custom_call(Planner& planner, const ir::Op& op);
void lower_while(Planner& planner, const ir::Op& op);
void lower_barrier(Planner& planner, const ir::Op& op);
// Calls are inlined and cores stacked before lowering.
void lower_call(Planner& planner, const ir::Op& op);
void lower_collective(Planner& planner, const ir::Op& op);

}  // namespace cpu
}  // namespace systolic::inline v0
