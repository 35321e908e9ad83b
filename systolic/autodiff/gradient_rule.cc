#include "systolic/autodiff/gradient_rule.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace autodiff {

using ir::Op;
using ir::OpCode;
using ir::ValueId;

namespace {

// The one-element constant that a value repeats, looked up through ops that keep the number.
const Literal* repeated_constant(Walk& walk, ValueId value) {
  for (const Op* op = walk.producer(value); op != nullptr; op = walk.producer(op->operands[0])) {
    switch (op->code) {
      case OpCode::constant: {
        const Literal& literal = op->get<ir::ConstantAttributes>().value;
        return literal.size() == 1 ? &literal : nullptr;
      }
      case OpCode::broadcast_in_dim:
      case OpCode::reshape:
        break;
      default:
        return nullptr;
    }
  }
  return nullptr;
}

}  // namespace

std::optional<double> GradientRule::splat(size_t i) const {
  const Literal* literal = repeated_constant(walk_, op().operands[i]);
  if (literal == nullptr || !is_float(literal->dtype())) return std::nullopt;
  return literal->number_at(0);
}

std::optional<int64_t> GradientRule::integer(ValueId value) const {
  const Literal* literal = repeated_constant(walk_, value);
  if (literal == nullptr || !is_integer(literal->dtype())) return std::nullopt;
  return literal->integer_at(0);
}

void GradientRule::none(std::string_view why, std::string_view hint) const {
  raise<Unimplemented>({.what = str("no gradient for ", ir::info(code()).name, ": ", why),
                        .hint = std::string(hint),
                        .location = op().location});
}

}  // namespace autodiff
}  // namespace systolic::inline v0
