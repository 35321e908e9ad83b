#include "backends/cpu/rewrite/fold_kind.h"

#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace cpu {

std::optional<kernels::ReduceKind> fold_kind(const ir::Block& region) {
  const std::optional<ir::OpCode> code = ir::fold_op(region);
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
