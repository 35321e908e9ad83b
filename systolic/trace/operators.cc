// The operators of Tensor, and Operand's own parts.
#include "systolic/base/error.h"
#include "systolic/trace/operand.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace {

Tensor binary(ir::OpCode code, const Operand& a, const Operand& b, std::string_view name) {
  auto [x, y] = aligned(a, b, name);
  return wrap(ir::binary(code, x, y));
}

Tensor comparison(ir::Direction direction, const Operand& a, const Operand& b,
                  std::string_view name) {
  auto [x, y] = aligned(a, b, name);
  return wrap(ir::compare(x, y, direction));
}

}  // namespace

// clang-format off
Tensor operator+(Operand a, Operand b) { return binary(ir::OpCode::add, a, b, "+"); }
Tensor operator-(Operand a, Operand b) { return binary(ir::OpCode::subtract, a, b, "-"); }
Tensor operator*(Operand a, Operand b) { return binary(ir::OpCode::multiply, a, b, "*"); }
Tensor operator/(Operand a, Operand b) { return binary(ir::OpCode::divide, a, b, "/"); }
Tensor operator%(Operand a, Operand b) { return binary(ir::OpCode::remainder, a, b, "%"); }
Tensor operator-(Operand a) { return wrap(ir::unary(ir::OpCode::negate, alone(a))); }
Tensor operator<(Operand a, Operand b) { return comparison(ir::Direction::lt, a, b, "<"); }
Tensor operator<=(Operand a, Operand b) { return comparison(ir::Direction::le, a, b, "<="); }
Tensor operator>(Operand a, Operand b) { return comparison(ir::Direction::gt, a, b, ">"); }
Tensor operator>=(Operand a, Operand b) { return comparison(ir::Direction::ge, a, b, ">="); }
Tensor operator==(Operand a, Operand b) { return comparison(ir::Direction::eq, a, b, "=="); }
Tensor operator!=(Operand a, Operand b) { return comparison(ir::Direction::ne, a, b, "!="); }
Tensor operator&(Operand a, Operand b) { return binary(ir::OpCode::and_, a, b, "&"); }
Tensor operator|(Operand a, Operand b) { return binary(ir::OpCode::or_, a, b, "|"); }
Tensor operator^(Operand a, Operand b) { return binary(ir::OpCode::xor_, a, b, "^"); }
Tensor operator!(const Tensor& a) { return logical_not(a); }
Tensor& operator+=(Tensor& a, Operand b) { return a = Operand(a, b.location) + b; }
Tensor& operator-=(Tensor& a, Operand b) { return a = Operand(a, b.location) - b; }
Tensor& operator*=(Tensor& a, Operand b) { return a = Operand(a, b.location) * b; }
Tensor& operator/=(Tensor& a, Operand b) { return a = Operand(a, b.location) / b; }
// clang-format on

}  // namespace systolic::inline v0
