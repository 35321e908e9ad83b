#include "backends/cpu/rewrite/promote_folds.h"

#include <utility>

#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

bool is_fold(ir::OpCode code) {
  return code == ir::OpCode::reduce || code == ir::OpCode::reduce_window ||
         code == ir::OpCode::scatter || code == ir::OpCode::select_and_scatter;
}

// The type that an operand of a fold must have; that of its result. Indices keep theirs, and so
// does what is selected by.
DType wanted_dtype(const ir::Function& function, const ir::Op& op, size_t operand) {
  const size_t count = op.results.size();
  if (op.code == ir::OpCode::select_and_scatter) {
    return function.type(operand == 0 ? op.operands[0] : op.results[0]).dtype;
  }
  const bool scatters = op.code == ir::OpCode::scatter;
  if (scatters && operand == count) return function.type(op.operands[operand]).dtype;
  const size_t array = scatters && operand > count ? operand - count - 1 : operand % count;
  return function.type(op.results[array]).dtype;
}

// A reduce of one number is its op on that number and the initial value: metrics are full of them.
void apply_to_scalar(const ir::Function& function, ir::Op& op) {
  if (op.code != ir::OpCode::reduce || op.operands.size() != 2) return;
  const std::optional<ir::OpCode> code = ir::fold_op(op.regions[0]);
  if (!code || function.type(op.operands[0]).shape.rank() != 0) return;
  op.code = *code;
  op.attributes = {};
  op.regions.clear();
}

void promote(ir::Function& function, ir::Block& block) {
  std::vector<ir::Op> ops;
  ops.reserve(block.ops.size());
  for (ir::Op& op : block.ops) {
    for (ir::Block& region : op.regions) promote(function, region);
    for (size_t i = 0; i < op.operands.size() && is_fold(op.code); ++i) {
      const ir::Type from = function.type(op.operands[i]);
      const DType wanted = wanted_dtype(function, op, i);
      if (from.dtype == wanted) continue;
      ir::Op convert;
      convert.code = ir::OpCode::convert;
      convert.operands = {op.operands[i]};
      convert.results = {function.new_value({wanted, from.shape})};
      convert.location = op.location;
      convert.layer_path = op.layer_path;
      op.operands[i] = convert.results[0];
      ops.push_back(std::move(convert));
    }
    apply_to_scalar(function, op);
    ops.push_back(std::move(op));
  }
  block.ops = std::move(ops);
}

}  // namespace

void promote_folds(ir::Module& module) {
  for (ir::Function& function : module.functions) promote(function, function.body);
}

}  // namespace cpu
}  // namespace systolic::inline v0
