#include "systolic/trace/ops/elementwise.h"

#include "systolic/base/error.h"
#include "systolic/trace/operand.h"

namespace systolic::inline v0 {
namespace {

Tensor float_unary(ir::OpCode code, const Operand& x, std::string_view name) {
  return wrap(ir::unary(code, floating(x, name)));
}

Tensor any_unary(ir::OpCode code, const Operand& x) { return wrap(ir::unary(code, alone(x))); }

Tensor two(ir::OpCode code, const Operand& a, const Operand& b, std::string_view name) {
  auto [x, y] = aligned(a, b, name);
  return wrap(ir::binary(code, x, y));
}

Tensor two_floats(ir::OpCode code, const Operand& a, const Operand& b, std::string_view name) {
  auto [x, y] = aligned(a, b, name);
  if (!is_float(x.dtype()) && !is_complex(x.dtype())) {
    raise<InvalidArgument>({.what = str(name, " of ", to_string(x.type())),
                            .wanted = "floats",
                            .hint = "write cast(x, DType::f32)",
                            .location = a.location});
  }
  return wrap(ir::binary(code, x, y));
}

void check_pred(const Tensor& x, std::string_view name, SourceLocation location) {
  if (x.dtype() == DType::pred) return;
  raise<InvalidArgument>({.what = str(name, " of ", to_string(x.dtype())),
                          .wanted = "pred",
                          .hint = "compare first: x != 0",
                          .location = location});
}

}  // namespace

Tensor cast(Operand x, DType dtype) {
  const ir::Value value = alone(x);
  return wrap(value.dtype() == dtype ? value : ir::convert(value, dtype));
}

Tensor cast(Operand x, std::string_view dtype) { return cast(x, parse_dtype(dtype, x.location)); }

// clang-format off
Tensor abs(Operand x) { return any_unary(ir::OpCode::abs, x); }
Tensor exp(Operand x) { return float_unary(ir::OpCode::exponential, x, "exp"); }
Tensor expm1(Operand x) { return float_unary(ir::OpCode::exponential_minus_one, x, "expm1"); }
Tensor log(Operand x) { return float_unary(ir::OpCode::log, x, "log"); }
Tensor log1p(Operand x) { return float_unary(ir::OpCode::log_plus_one, x, "log1p"); }
Tensor sqrt(Operand x) { return float_unary(ir::OpCode::sqrt, x, "sqrt"); }
Tensor rsqrt(Operand x) { return float_unary(ir::OpCode::rsqrt, x, "rsqrt"); }
Tensor sin(Operand x) { return float_unary(ir::OpCode::sine, x, "sin"); }
Tensor cos(Operand x) { return float_unary(ir::OpCode::cosine, x, "cos"); }
Tensor tan(Operand x) { return float_unary(ir::OpCode::tan, x, "tan"); }
Tensor tanh(Operand x) { return float_unary(ir::OpCode::tanh, x, "tanh"); }
Tensor erf(Operand x) { return float_unary(ir::OpCode::erf, x, "erf"); }
Tensor floor(Operand x) { return float_unary(ir::OpCode::floor, x, "floor"); }
Tensor ceil(Operand x) { return float_unary(ir::OpCode::ceil, x, "ceil"); }
Tensor round(Operand x) { return float_unary(ir::OpCode::round_nearest_even, x, "round"); }
Tensor sign(Operand x) { return any_unary(ir::OpCode::sign, x); }
Tensor sigmoid(Operand x) { return float_unary(ir::OpCode::logistic, x, "sigmoid"); }
Tensor is_finite(Operand x) { return float_unary(ir::OpCode::is_finite, x, "is_finite"); }
Tensor add(Operand a, Operand b) { return a + b; }
Tensor subtract(Operand a, Operand b) { return a - b; }
Tensor multiply(Operand a, Operand b) { return a * b; }
Tensor divide(Operand a, Operand b) { return a / b; }
Tensor pow(Operand a, Operand b) { return two(ir::OpCode::power, a, b, "pow"); }
Tensor maximum(Operand a, Operand b) { return two(ir::OpCode::maximum, a, b, "maximum"); }
Tensor minimum(Operand a, Operand b) { return two(ir::OpCode::minimum, a, b, "minimum"); }
Tensor atan2(Operand y, Operand x) { return two_floats(ir::OpCode::atan2, y, x, "atan2"); }
Tensor equal(Operand a, Operand b) { return a == b; }
Tensor not_equal(Operand a, Operand b) { return a != b; }
Tensor less(Operand a, Operand b) { return a < b; }
Tensor greater(Operand a, Operand b) { return a > b; }
// clang-format on

Tensor square(Operand x) {
  const ir::Value value = alone(x);
  return wrap(value * value);
}

Tensor is_nan(Operand x) {
  const ir::Value value = floating(x, "is_nan");
  return wrap(ir::compare(value, value, ir::Direction::ne));
}

Tensor logical_not(Operand x) {
  const ir::Value value = alone(x);
  check_pred(wrap(value), "logical_not", x.location);
  return wrap(ir::unary(ir::OpCode::not_, value));
}

Tensor logical_and(Operand a, Operand b) {
  auto [x, y] = aligned(a, b, "logical_and");
  check_pred(wrap(x), "logical_and", a.location);
  return wrap(ir::binary(ir::OpCode::and_, x, y));
}

Tensor logical_or(Operand a, Operand b) {
  auto [x, y] = aligned(a, b, "logical_or");
  check_pred(wrap(x), "logical_or", a.location);
  return wrap(ir::binary(ir::OpCode::or_, x, y));
}

Tensor divide_no_nan(Operand a, Operand b) {
  auto [x, y] = aligned(a, b, "divide_no_nan");
  const ir::Value is_zero = ir::compare(y, 0.0, ir::Direction::eq);
  // The divisor is made safe first, so that the gradient does not meet 0 / 0.
  const ir::Value safe = ir::select(is_zero, y.builder().filled_like(y, 1), y);
  return wrap(ir::select(is_zero, x.builder().filled_like(x, 0), x / safe));
}

Tensor where(Operand predicate, Operand on_true, Operand on_false) {
  auto [x, y] = aligned(on_true, on_false, "where");
  ir::Value mask = alone(predicate);
  check_pred(wrap(mask), "the predicate of where", predicate.location);
  const Shape shape = broadcast_shape(mask.shape(), x.shape(), predicate.location);
  return wrap(ir::select(ir::broadcast_to(mask, shape), ir::broadcast_to(x, shape),
                         ir::broadcast_to(y, shape)));
}

Tensor clip(Operand x, Operand low, Operand high) {
  auto [above, least] = aligned(x, low, "clip");
  auto [value, most] = aligned(Operand(wrap(above), x.location), high, "clip");
  return wrap(ir::clamp(ir::broadcast_to(least, value.shape()), value, most));
}

Tensor stop_gradient(Operand x) {
  Trace& trace = Trace::current();
  const ir::Value value = alone(x);
  // A copy with a number of its own: the gradient stops there and nowhere else.
  const ir::Value copy =
      trace.builder().append_one(ir::OpCode::reshape, {value}, {}, {}, {value.type()});
  trace.stopped().push_back(copy.id());
  return wrap(copy);
}

}  // namespace systolic::inline v0
