#include "backends/cpu/rewrite/select_branches.h"

#include <iterator>
#include <utility>
#include <vector>

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::OpCode;

// What costs no more than reading and writing its elements.
bool is_cheap(OpCode code) {
  switch (code) {
    case OpCode::abs:
    case OpCode::add:
    case OpCode::and_:
    case OpCode::broadcast_in_dim:
    case OpCode::clamp:
    case OpCode::compare:
    case OpCode::constant:
    case OpCode::convert:
    case OpCode::divide:
    case OpCode::is_finite:
    case OpCode::maximum:
    case OpCode::minimum:
    case OpCode::multiply:
    case OpCode::negate:
    case OpCode::not_:
    case OpCode::or_:
    case OpCode::reshape:
    case OpCode::rsqrt:
    case OpCode::select:
    case OpCode::sign:
    case OpCode::sqrt:
    case OpCode::subtract:
    case OpCode::xor_:
      return true;
    default:
      return false;
  }
}

// So many ops on arrays for each result are done in about the time in which a branch that is not
// taken would have copied it. Adam has five.
constexpr size_t most_ops_a_result = 6;

bool is_scalar(const ir::Function& function, const ir::Op& op) {
  return op.results.size() == 1 && function.type(op.results[0]).shape.rank() == 0;
}

bool is_cheap(const ir::Function& function, const ir::Block& branch) {
  size_t on_arrays = 0;
  for (const ir::Op& op : branch.ops) {
    if (is_scalar(function, op) && ir::is_elementwise(op.code)) continue;
    if (!is_cheap(op.code)) return false;
    const bool computes = ir::is_elementwise(op.code);
    on_arrays += computes && !is_scalar(function, op) ? 1 : 0;
  }
  return on_arrays <= most_ops_a_result * branch.results.size();
}

void append(std::vector<ir::Op>& ops, std::vector<ir::Op>& more) {
  ops.insert(ops.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void append_selects(std::vector<ir::Op>& ops, const ir::Op& branches) {
  const ir::Block &on_true = branches.regions[0], &on_false = branches.regions[1];
  for (size_t i = 0; i < branches.results.size(); ++i) {
    ir::Op select;
    select.code = OpCode::select;
    select.operands = {branches.operands[0], on_true.results[i], on_false.results[i]};
    select.results = {branches.results[i]};
    select.location = branches.location;
    select.layer_path = branches.layer_path;
    ops.push_back(std::move(select));
  }
}

void rewrite(const ir::Function& function, ir::Block& block) {
  std::vector<ir::Op> ops;
  ops.reserve(block.ops.size());
  for (ir::Op& op : block.ops) {
    for (ir::Block& region : op.regions) rewrite(function, region);
    const bool becomes_selects = op.code == OpCode::if_ && is_cheap(function, op.regions[0]) &&
                                 is_cheap(function, op.regions[1]);
    if (!becomes_selects) {
      ops.push_back(std::move(op));
      continue;
    }
    for (ir::Block& branch : op.regions) append(ops, branch.ops);
    append_selects(ops, op);
  }
  block.ops = std::move(ops);
}

}  // namespace

void select_branches(ir::Module& module) {
  for (ir::Function& function : module.functions) rewrite(function, function.body);
}

}  // namespace cpu
}  // namespace systolic::inline v0
