#include "systolic/stablehlo/chlo/chlo_formulas.h"

#include <limits>

namespace systolic::inline v0 {
namespace stablehlo {
namespace formula {

using ir::OpCode;

ir::Value like(ir::Value x, double number) { return x.builder().filled_like(x, number); }

ir::Value less(ir::Value a, ir::Value b) { return ir::compare(a, b, ir::Direction::lt); }
ir::Value less(ir::Value a, double b) { return ir::compare(a, b, ir::Direction::lt); }
ir::Value equal(ir::Value a, double b) { return ir::compare(a, b, ir::Direction::eq); }
ir::Value greater(ir::Value a, double b) { return ir::compare(a, b, ir::Direction::gt); }

ir::Value abs(ir::Value x) { return ir::unary(OpCode::abs, x); }
ir::Value log(ir::Value x) { return ir::unary(OpCode::log, x); }
ir::Value log1p(ir::Value x) { return ir::unary(OpCode::log_plus_one, x); }
ir::Value exp(ir::Value x) { return ir::unary(OpCode::exponential, x); }
ir::Value sqrt(ir::Value x) { return ir::unary(OpCode::sqrt, x); }
ir::Value floor(ir::Value x) { return ir::unary(OpCode::floor, x); }
ir::Value sign(ir::Value x) { return ir::unary(OpCode::sign, x); }
ir::Value max(ir::Value a, ir::Value b) { return ir::binary(OpCode::maximum, a, b); }
ir::Value min(ir::Value a, ir::Value b) { return ir::binary(OpCode::minimum, a, b); }
ir::Value atan2(ir::Value y, ir::Value x) { return ir::binary(OpCode::atan2, y, x); }
ir::Value real(ir::Value z) { return ir::unary(OpCode::real, z); }
ir::Value imag(ir::Value z) { return ir::unary(OpCode::imag, z); }

ir::Value complex(ir::Value re, ir::Value im) {
  return re.builder().append_one(OpCode::complex, {re, im});
}

double largest(ir::Value x) {
  return x.dtype() == DType::f64 ? std::numeric_limits<double>::max()
                                 : static_cast<double>(std::numeric_limits<float>::max());
}

double smallest_normal(ir::Value x) {
  return x.dtype() == DType::f64 ? std::numeric_limits<double>::min()
                                 : static_cast<double>(std::numeric_limits<float>::min());
}

ir::Value polynomial(ir::Value x, std::span<const double> coefficients) {
  ir::Value sum = like(x, coefficients[0]);
  for (double coefficient : coefficients.subspan(1)) sum = sum * x + coefficient;
  return sum;
}

}  // namespace formula
}  // namespace stablehlo
}  // namespace systolic::inline v0
