#include "backends/cpu/fuse/row_sums.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "backends/cpu/fuse/row_pick.h"
#include "backends/cpu/rewrite/fold_kind.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

bool is_zero(const Planner& planner, ir::ValueId value) {
  const std::optional<Literal> element = planner.splat(value);
  return element && element->number_at(0) == 0;
}

// Where the updates are as many as the rows or more, the table is the smaller array.
bool adds_few_rows(const Planner& planner, const ir::Op& op) {
  if (op.code != ir::OpCode::scatter || op.results.size() != 1) return false;
  const ir::Type& table = planner.type(op.results[0]);
  if (table.dtype != DType::f32 || planner.type(op.operands[2]).dtype != DType::f32) return false;
  if (fold_kind(op.regions[0]) != kernels::ReduceKind::sum) return false;
  const std::optional<RowPick> pick = row_pick(scatter_geometry(planner, op));
  return pick && pick->row_elements > 0 && pick->count > 0 && pick->count < pick->rows &&
         pick->rows <= INT32_MAX && is_zero(planner, op.operands[0]);
}

// Adds up how often elementwise ops read each value as it lies.
void count_reads(const Planner& planner, const Group& group,
                 std::unordered_map<ir::ValueId, int>& reads) {
  if (!is_cluster(group)) return;
  const Shape& space = planner.type(group.ops[0]->results[0]).shape;
  for (const ir::Op* op : elementwise_ops(group)) {
    for (ir::ValueId operand : op->operands) {
      if (planner.type(operand).shape == space) ++reads[operand];
    }
  }
}

}  // namespace

void find_row_sums(const Planner& planner, std::vector<Group>& groups) {
  std::unordered_map<ir::ValueId, int> reads;
  for (const Group& group : groups) count_reads(planner, group, reads);
  for (Group& group : groups) {
    if (!group.is<PlainOp>() || !adds_few_rows(planner, *group.ops[0])) continue;
    const ir::ValueId table = group.ops[0]->results[0];
    const bool as_it_lies = reads[table] > 0 && reads[table] == planner.uses(table);
    if (as_it_lies) group.kind = SummedByReaders{};
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
