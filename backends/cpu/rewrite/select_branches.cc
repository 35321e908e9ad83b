#include "backends/cpu/rewrite/select_branches.h"

#include <algorithm>
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

bool is_cheap(const ir::Function& function, const ir::Op& op) {
  if (is_cheap(op.code)) return true;
  const bool is_scalar = op.results.size() == 1 && function.type(op.results[0]).shape.rank() == 0;
  return is_scalar && ir::is_elementwise(op.code);
}

bool is_cheap(const ir::Function& function, const ir::Block& branch) {
  return std::all_of(branch.ops.begin(), branch.ops.end(),
                     [&](const ir::Op& op) { return is_cheap(function, op); });
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
