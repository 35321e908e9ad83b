#include "backends/cpu/fuse/fold_kind.h"

namespace systolic::inline v0 {
namespace cpu {

std::optional<ir::OpCode> fold_op(const ir::Block& region) {
  if (region.ops.size() != 1 || region.arguments.size() != 2) return std::nullopt;
  const ir::Op& op = region.ops[0];
  const ir::ValueId a = region.arguments[0], b = region.arguments[1];
  const bool folds = op.operands.size() == 2 && ((op.operands[0] == a && op.operands[1] == b) ||
                                                 (op.operands[0] == b && op.operands[1] == a));
  if (!folds || region.results.size() != 1 || region.results[0] != op.results[0]) {
    return std::nullopt;
  }
  return op.code;
}

std::optional<kernels::ReduceKind> fold_kind(const ir::Block& region) {
  const std::optional<ir::OpCode> code = fold_op(region);
  if (!code) return std::nullopt;
  switch (*code) {
    case ir::OpCode::add:
      return kernels::ReduceKind::sum;
    case ir::OpCode::multiply:
      return kernels::ReduceKind::product;
    case ir::OpCode::maximum:
      return kernels::ReduceKind::maximum;
    case ir::OpCode::minimum:
      return kernels::ReduceKind::minimum;
    case ir::OpCode::and_:
      return kernels::ReduceKind::and_;
    case ir::OpCode::or_:
      return kernels::ReduceKind::or_;
    case ir::OpCode::xor_:
      return kernels::ReduceKind::xor_;
    default:
      return std::nullopt;
  }
}

bool is_plain_reduction(const Planner& planner, const ir::Op& op) {
  if (op.operands.size() != 2) return false;
  const std::optional<kernels::ReduceKind> kind = fold_kind(op.regions[0]);
  return kind && kernels::Reduction::supports(*kind, planner.type(op.operands[0]).dtype);
}

}  // namespace cpu
}  // namespace systolic::inline v0
