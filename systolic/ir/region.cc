#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace ir {
namespace {

bool folds_in_either_order(OpCode code) {
  switch (code) {
    case OpCode::add:
    case OpCode::and_:
    case OpCode::maximum:
    case OpCode::minimum:
    case OpCode::multiply:
    case OpCode::or_:
    case OpCode::xor_:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<OpCode> fold_op(const Block& region) {
  if (region.arguments.size() != 2 || region.ops.size() != 1) return std::nullopt;
  const Op& op = region.ops[0];
  const bool swapped = op.operands.size() == 2 && op.operands[0] == region.arguments[1] &&
                       op.operands[1] == region.arguments[0];
  const bool reads_both = swapped || op.operands == region.arguments;
  if (!reads_both || region.results != op.results) return std::nullopt;
  return folds_in_either_order(op.code) ? std::optional(op.code) : std::nullopt;
}

const Op* find_collective(const Block& block) {
  const Op* found = nullptr;
  for_each_op(block, [&](const Op& op) {
    if (found == nullptr && info(op.code).family == OpFamily::collective) found = &op;
  });
  return found;
}

}  // namespace ir
}  // namespace systolic::inline v0
