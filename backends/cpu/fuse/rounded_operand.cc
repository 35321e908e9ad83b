#include "backends/cpu/fuse/rounded_operand.h"

#include <optional>
#include <unordered_map>

#include "backends/cpu/fuse/product_shape.h"
#include "backends/cpu/kernels/matmul/matmul.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

// An argument's elements stay until all have read them, whoever rounds them.
bool rounds_argument(const Planner& planner, const Group& group) {
  if (!group.is<ElementwiseCluster>()) return false;
  const ir::Op& op = *group.ops[0];
  return group.ops.size() == 1 && op.code == ir::OpCode::convert &&
         planner.definition(op.operands[0]) == nullptr &&
         planner.type(op.operands[0]).dtype == DType::f32 &&
         planner.type(op.results[0]).dtype == DType::bf16;
}

bool packs_right_operand(const Planner& planner, const ir::Op& op) {
  const std::optional<kernels::MatmulOptions> shape = product_shape(planner, op);
  return shape && kernels::Matmul::takes_packed(*shape);
}

}  // namespace

void find_rounded_operands(const Planner& planner, std::vector<Group>& groups) {
  std::unordered_map<ir::ValueId, int> reads;  // as right operands that are packed
  for (const Group& group : groups) {
    if (packs_right_operand(planner, *group.ops[0])) ++reads[group.ops[0]->operands[1]];
  }
  for (Group& group : groups) {
    if (!rounds_argument(planner, group)) continue;
    const ir::ValueId rounded = group.ops[0]->results[0];
    const bool packed = reads[rounded] > 0 && reads[rounded] == planner.uses(rounded);
    if (packed) group.kind = RoundedByReaders{};
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
