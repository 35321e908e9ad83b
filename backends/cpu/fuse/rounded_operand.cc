#include "backends/cpu/fuse/rounded_operand.h"

#include <unordered_map>

namespace systolic::inline v0 {
namespace cpu {
namespace {

bool rounds_to_bf16(const Planner& planner, const Group& group) {
  if (!group.elementwise || group.reduces || group.product != nullptr) return false;
  const ir::Op& op = *group.ops[0];
  return group.ops.size() == 1 && op.code == ir::OpCode::convert &&
         planner.type(op.operands[0]).dtype == DType::f32 &&
         planner.type(op.results[0]).dtype == DType::bf16;
}

}  // namespace

void find_rounded_operands(const Planner& planner, std::vector<Group>& groups) {
  std::unordered_map<ir::ValueId, int> reads;  // as right operands
  for (const Group& group : groups) {
    const ir::Op* product = group.product != nullptr ? group.product : group.ops[0];
    if (product->code == ir::OpCode::dot_general) ++reads[product->operands[1]];
  }
  for (Group& group : groups) {
    if (!rounds_to_bf16(planner, group)) continue;
    const ir::ValueId rounded = group.ops[0]->results[0];
    group.rounds = reads[rounded] > 0 && reads[rounded] == planner.uses(rounded);
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
