#include "systolic/passes/simplify_algebra.h"

#include <cmath>

namespace systolic::inline v0 {
namespace passes {

using ir::Op;
using ir::OpCode;
using ir::Value;
using ir::ValueId;
using Found = std::optional<Value>;

namespace {

bool is_number(Rewriter& r, ValueId value, double number) {
  const std::optional<double> found = r.uniform_number(value);
  return found && *found == number && std::signbit(*found) == std::signbit(number);
}

// Does adding this leave every number as it is? For floats -0 does, and +0 does not: -0 + 0 = +0.
bool adds_nothing(Rewriter& r, ValueId value, DType dtype) {
  if (is_float(dtype)) return is_number(r, value, -0.0);
  return is_integer(dtype) && is_number(r, value, 0.0);
}

Found simplify_binary(Rewriter& r, const Op& op, DType dtype) {
  const ValueId a = op.operands[0], b = op.operands[1];
  switch (op.code) {
    case OpCode::add:
      if (adds_nothing(r, b, dtype)) return r.value(a);
      if (adds_nothing(r, a, dtype)) return r.value(b);
      return std::nullopt;
    case OpCode::subtract:
      if (is_number(r, b, 0.0)) return r.value(a);
      return std::nullopt;
    case OpCode::multiply:
      if (dtype == DType::pred) return std::nullopt;
      if (is_number(r, b, 1.0)) return r.value(a);
      if (is_number(r, a, 1.0)) return r.value(b);
      return std::nullopt;
    case OpCode::divide:
      if (is_number(r, b, 1.0)) return r.value(a);
      return std::nullopt;
    case OpCode::maximum:
    case OpCode::minimum:
      if (a == b) return r.value(a);
      return std::nullopt;
    case OpCode::and_:
    case OpCode::or_: {
      if (a == b) return r.value(a);
      if (dtype != DType::pred) return std::nullopt;
      const double neutral = op.code == OpCode::and_ ? 1.0 : 0.0;
      if (is_number(r, b, neutral)) return r.value(a);
      if (is_number(r, a, neutral)) return r.value(b);
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

Found simplify_select(Rewriter& r, const Op& op) {
  if (op.operands[1] == op.operands[2]) return r.value(op.operands[1]);
  const std::optional<double> predicate = r.uniform_number(op.operands[0]);
  if (!predicate) return std::nullopt;
  return r.value(op.operands[*predicate != 0 ? 1 : 2]);
}

// Does every number of `from` have a number of `to`?
bool is_exact(DType from, DType to) {
  if (from == to) return true;
  if (is_float(from) && is_float(to)) {
    if (to == DType::f64) return true;
    if (to == DType::f32) return from != DType::f64;
    return false;
  }
  const bool same_sign = (is_signed_integer(from) && is_signed_integer(to)) ||
                         (is_unsigned_integer(from) && is_unsigned_integer(to));
  return same_sign && byte_width(from) < byte_width(to);
}

// convert(convert(x)) through a type that holds every x is one conversion, or none.
Found simplify_convert(Rewriter& r, const Op& op, const ir::Type& result) {
  const Value x = r.value(op.operands[0]);
  if (x.dtype() == result.dtype) return x;
  const Op* inner = r.producer(op.operands[0], OpCode::convert);
  if (inner == nullptr) return std::nullopt;
  const Value original = r.value(inner->operands[0]);
  if (!is_exact(original.dtype(), x.dtype())) return std::nullopt;
  return convert(original, result.dtype);
}

}  // namespace

Found simplify_algebra(Rewriter& r, const Op& op, const ir::Type& result) {
  switch (op.code) {
    case OpCode::select:
      return simplify_select(r, op);
    case OpCode::convert:
      return simplify_convert(r, op, result);
    case OpCode::negate:
    case OpCode::not_: {
      const Op* inner = r.producer(op.operands[0], op.code);
      if (inner == nullptr) return std::nullopt;
      return r.value(inner->operands[0]);
    }
    default:
      break;
  }
  if (ir::info(op.code).family != ir::OpFamily::binary || op.code == OpCode::compare) {
    return std::nullopt;
  }
  return simplify_binary(r, op, result.dtype);
}

}  // namespace passes
}  // namespace systolic::inline v0
