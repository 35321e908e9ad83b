#include "backends/cpu/rewrite/signs.h"

#include "systolic/ir/region.h"

namespace systolic::inline v0 {
namespace cpu {
namespace {

using ir::OpCode;

// Larger constants are not looked through.
constexpr int64_t most_elements = 4096;

template <class Condition>
bool all_of(const Literal& literal, const Condition& condition) {
  if (literal.size() > most_elements || !is_float(literal.dtype())) return false;
  for (int64_t i = 0; i < literal.size(); ++i) {
    if (!condition(literal.number_at(i))) return false;
  }
  return true;
}

}  // namespace

Signs::Signs(const ir::Function& function) : function_(function) {
  for (const ir::Op& op : function.body.ops) {
    for (const ir::ValueId result : op.results) makers_[result] = &op;
  }
}

const ir::Op* Signs::maker(ir::ValueId value) const {
  for (;;) {
    const auto found = makers_.find(value);
    if (found == makers_.end()) return nullptr;
    const ir::Op& op = *found->second;
    switch (op.code) {
      case OpCode::broadcast_in_dim:
      case OpCode::reshape:
      case OpCode::transpose:
      case OpCode::slice:
        break;
      case OpCode::convert:
        if (!is_float(function_.type(op.operands[0]).dtype)) return &op;
        break;
      default:
        return &op;
    }
    value = op.operands[0];
  }
}

bool Signs::not_zero(ir::ValueId value) const {
  const ir::Op* op = maker(value);
  if (op != nullptr && op->code == OpCode::constant)
    return all_of(op->get<ir::ConstantAttributes>().value, [](double x) { return x < 0 || x > 0; });
  return positive(value);
}

bool Signs::constant_holds(const ir::Op& op, Sign sign) const {
  return all_of(op.get<ir::ConstantAttributes>().value,
                [&](double x) { return sign == Sign::positive ? x > 0 : x >= 0; });
}

bool Signs::holds(ir::ValueId value, Sign sign, int steps) const {
  const ir::Op* op = maker(value);
  if (op == nullptr || steps == 0) return false;
  const auto operand = [&](size_t i, Sign wanted) {
    return holds(op->operands[i], wanted, steps - 1);
  };
  switch (op->code) {
    case OpCode::constant:
      return constant_holds(*op, sign);
    case OpCode::exponential:
      return true;
    case OpCode::abs:
      return sign == Sign::not_negative;
    case OpCode::sqrt:
      return operand(0, sign);
    case OpCode::multiply:
      if (sign == Sign::not_negative && op->operands[0] == op->operands[1]) return true;
      return operand(0, sign) && operand(1, sign);
    case OpCode::divide:
      return operand(0, sign) && operand(1, Sign::positive);
    case OpCode::maximum:
      return operand(0, sign) || operand(1, sign);
    case OpCode::add:
      return (operand(0, sign) && operand(1, Sign::not_negative)) ||
             (operand(0, Sign::not_negative) && operand(1, sign));
    case OpCode::reduce:
      return op->operands.size() == 2 && ir::fold_op(op->regions[0]) == OpCode::add &&
             operand(0, sign) && operand(1, Sign::not_negative) &&
             (sign == Sign::not_negative || function_.type(op->operands[0]).shape.elements() > 0);
    default:
      return false;
  }
}

}  // namespace cpu
}  // namespace systolic::inline v0
