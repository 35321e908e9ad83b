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

namespace {

template <class Found>
bool any_custom_call(const Op& op, const Found& found) {
  if (op.code == OpCode::custom_call) return found(op.get<CustomCallAttributes>());
  bool any = false;
  for (const Block& region : op.regions) {
    for_each_op(region, [&](const Op& inner) {
      any = any || (inner.code == OpCode::custom_call && found(inner.get<CustomCallAttributes>()));
    });
  }
  return any;
}

}  // namespace

bool has_side_effect(const Op& op) {
  return any_custom_call(op, [](const CustomCallAttributes& call) { return call.has_side_effect; });
}

bool has_side_effect_on_each_core(const Op& op) {
  return any_custom_call(
      op, [](const CustomCallAttributes& call) { return call.has_side_effect && !call.once; });
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
