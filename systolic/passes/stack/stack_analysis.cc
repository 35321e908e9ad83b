#include "systolic/passes/stack/stack_analysis.h"

#include <algorithm>

#include "systolic/ir/clone.h"
#include "systolic/ir/core_groups.h"
#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Block;
using ir::Op;
using ir::OpCode;
using ir::ValueId;

StackAnalysis::StackAnalysis(const ir::Function& function, int64_t cores,
                             const std::vector<bool>& argument_is_stacked)
    : cores_(cores), stacked_(function.types.size(), false) {
  for (size_t i = 0; i < argument_is_stacked.size(); ++i) {
    set(function.body.arguments[i], argument_is_stacked[i]);
  }
  visit(function.body, false);
}

bool StackAnalysis::diverges(const Op& loop) const {
  return std::find(divergent_loops_.begin(), divergent_loops_.end(), &loop) !=
         divergent_loops_.end();
}

bool StackAnalysis::regions_differ(const Op& op) const {
  if (op.regions.empty()) return false;
  bool differ = false;
  for (const Block& region : op.regions) {
    ir::for_each_op(region,
                    [&](const Op& inner) { differ = differ || inner.code == OpCode::replica_id; });
  }
  for (ValueId value : ir::values_read(op)) {
    const bool is_operand =
        std::find(op.operands.begin(), op.operands.end(), value) != op.operands.end();
    differ = differ || (!is_operand && stacked(value));
  }
  return differ;
}

void StackAnalysis::visit(const Block& block, bool divergent) {
  for (const Op& op : block.ops) visit(op, divergent);
}

// Whether what a collective makes of an operand differs between cores.
bool StackAnalysis::collective_differs(const Op& op, ValueId operand) const {
  if (op.code == OpCode::reduce_scatter || op.code == OpCode::all_to_all ||
      op.code == OpCode::collective_permute) {
    return true;
  }
  if (ir::is_whole_group(op, cores_)) return false;
  const auto groups = ir::groups_of(op, cores_);
  size_t members = 0;
  bool equal_sizes = true;
  for (const auto& group : groups) {
    members += group.size();
    equal_sizes = equal_sizes && group.size() == groups[0].size();
  }
  // Equal arrays stay equal, where every core takes part and the groups are alike.
  const bool alike = equal_sizes && static_cast<int64_t>(members) == cores_;
  return stacked(operand) || !alike;
}

void StackAnalysis::visit(const Op& op, bool divergent) {
  switch (op.code) {
    case OpCode::if_:
    case OpCode::case_:
      visit_branches(op, divergent);
      return;
    case OpCode::while_:
      visit_while(op, divergent);
      return;
    case OpCode::replica_id:
      set(op.results[0], true);
      return;
    default:
      break;
  }
  const bool one_by_one = ir::info(op.code).family == ir::OpFamily::collective ||
                          op.code == OpCode::optimization_barrier;
  if (one_by_one) {
    for (size_t i = 0; i < op.results.size(); ++i) {
      const bool barrier = op.code == OpCode::optimization_barrier;
      set(op.results[i],
          barrier ? stacked(op.operands[i]) : collective_differs(op, op.operands[i]));
    }
    return;
  }
  const bool differs = regions_differ(op) || ir::has_side_effect_on_each_core(op) ||
                       std::any_of(op.operands.begin(), op.operands.end(),
                                   [&](ValueId operand) { return stacked(operand); });
  for (ValueId result : op.results) set(result, differs);
}

void StackAnalysis::visit_branches(const Op& op, bool divergent) {
  const bool split = stacked(op.operands[0]);
  for (const Block& region : op.regions) visit(region, divergent || split);
  for (size_t i = 0; i < op.results.size(); ++i) {
    bool differs = split;
    for (const Block& region : op.regions) differs = differs || stacked(region.results[i]);
    set(op.results[i], differs);
  }
}

// The state of a loop is stacked where it ever becomes so: visited until nothing changes.
void StackAnalysis::visit_while(const Op& op, bool divergent) {
  const Block &condition = op.regions[0], &body = op.regions[1];
  for (size_t i = 0; i < op.operands.size(); ++i) set(op.results[i], stacked(op.operands[i]));
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < op.results.size(); ++i) {
      set(condition.arguments[i], stacked(op.results[i]));
      set(body.arguments[i], stacked(op.results[i]));
    }
    visit(condition, divergent);
    const bool split = divergent || stacked(condition.results[0]);
    if (split && !diverges(op)) divergent_loops_.push_back(&op);
    visit(body, split);
    for (size_t i = 0; i < op.results.size(); ++i) {
      const bool differs = split || stacked(op.results[i]) || stacked(body.results[i]);
      changed = changed || differs != stacked(op.results[i]);
      set(op.results[i], differs);
    }
  }
}

}  // namespace passes
}  // namespace systolic::inline v0
