#include "systolic/ir/builder/builder.h"

namespace systolic::inline v0 {
namespace ir {

Value unary(OpCode code, Value x) { return x.builder().append_one(code, {x}); }
Value binary(OpCode code, Value a, Value b) { return a.builder().append_one(code, {a, b}); }

// clang-format off
Value operator+(Value a, double b) { return a + a.builder().filled_like(a, b); }
Value operator-(Value a, double b) { return a - a.builder().filled_like(a, b); }
Value operator*(Value a, double b) { return a * a.builder().filled_like(a, b); }
Value operator/(Value a, double b) { return a / a.builder().filled_like(a, b); }
Value operator+(double a, Value b) { return b.builder().filled_like(b, a) + b; }
Value operator-(double a, Value b) { return b.builder().filled_like(b, a) - b; }
Value operator*(double a, Value b) { return b.builder().filled_like(b, a) * b; }
Value operator/(double a, Value b) { return b.builder().filled_like(b, a) / b; }
// clang-format on

Value compare(Value a, Value b, Direction direction) {
  return a.builder().append_one(OpCode::compare, {a, b}, CompareAttributes{direction, {}});
}

Value compare(Value a, double b, Direction direction) {
  return compare(a, a.builder().filled_like(a, b), direction);
}

Value select(Value predicate, Value on_true, Value on_false) {
  return predicate.builder().append_one(OpCode::select, {predicate, on_true, on_false});
}

Value clamp(Value low, Value x, Value high) {
  return x.builder().append_one(OpCode::clamp, {low, x, high});
}

Value convert(Value x, DType dtype) {
  if (x.dtype() == dtype) return x;
  return x.builder().append_one(OpCode::convert, {x}, {}, {}, {{dtype, x.shape()}});
}

Value bitcast_convert(Value x, Type type) {
  return x.builder().append_one(OpCode::bitcast_convert, {x}, {}, {}, {std::move(type)});
}

}  // namespace ir
}  // namespace systolic::inline v0
