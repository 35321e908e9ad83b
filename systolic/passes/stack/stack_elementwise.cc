#include "systolic/passes/stack/stacker.h"

namespace systolic::inline v0 {
namespace passes {

using ir::Op;
using ir::OpCode;
using ir::Value;

void stack_elementwise(Stacker& s, const Op& op) {
  // Scalars of clamp and select that are not like the others may stay scalars.
  const ir::Type result = s.with_cores(s.source_type(op.results[0]));
  const int rank = s.source_type(op.results[0]).shape.rank();
  const bool ternary = ir::info(op.code).family == ir::OpFamily::ternary;
  std::vector<Value> operands;
  for (ir::ValueId operand : op.operands) {
    const int operand_rank = s.source_type(operand).shape.rank();
    if (ternary && operand_rank == 0 && rank > 0) {
      const Value x = s.get(operand);
      operands.push_back(s.stacked(operand) ? broadcast_in_dim(x, result.shape, {0}) : x);
    } else {
      operands.push_back(s.get_stacked(operand));
    }
  }
  s.set(op.results[0], s.builder().append(op.code, operands, op.attributes, {}, {result})[0], true);
}

void stack_replica_id(Stacker& s, const Op& op) {
  s.set(op.results[0], s.builder().iota({DType::u32, {s.cores()}}, 0), true);
}

void stack_partition_id(Stacker& s, const Op& op) {
  s.set(op.results[0], s.builder().constant(Literal::scalar(uint32_t{0})), false);
}

void stack_optimization_barrier(Stacker& s, const Op& op) {
  std::vector<Value> operands;
  for (ir::ValueId operand : op.operands) operands.push_back(s.get(operand));
  const std::vector<Value> results = optimization_barrier(operands);
  for (size_t i = 0; i < results.size(); ++i) {
    s.set(op.results[i], results[i], s.stacked(op.operands[i]));
  }
}

}  // namespace passes
}  // namespace systolic::inline v0
