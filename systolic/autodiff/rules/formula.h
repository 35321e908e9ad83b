// Short names for the ops that rules are made of, so that a row reads like the formula it is.
#pragma once

#include "systolic/ir/builder/builder.h"

namespace systolic::inline v0 {
namespace autodiff {

// clang-format off
inline ir::Value abs(ir::Value x) { return unary(ir::OpCode::abs, x); }
inline ir::Value cos(ir::Value x) { return unary(ir::OpCode::cosine, x); }
inline ir::Value exp(ir::Value x) { return unary(ir::OpCode::exponential, x); }
inline ir::Value floor(ir::Value x) { return unary(ir::OpCode::floor, x); }
inline ir::Value imag(ir::Value x) { return unary(ir::OpCode::imag, x); }
inline ir::Value log(ir::Value x) { return unary(ir::OpCode::log, x); }
inline ir::Value real(ir::Value x) { return unary(ir::OpCode::real, x); }
inline ir::Value sign(ir::Value x) { return unary(ir::OpCode::sign, x); }
inline ir::Value sin(ir::Value x) { return unary(ir::OpCode::sine, x); }
inline ir::Value complex(ir::Value re, ir::Value im) { return binary(ir::OpCode::complex, re, im); }
inline ir::Value pow(ir::Value x, ir::Value y) { return binary(ir::OpCode::power, x, y); }
inline ir::Value zeros_like(ir::Value x) { return x.builder().filled_like(x, 0.0); }
inline ir::Value equal(ir::Value a, ir::Value b) { return compare(a, b, ir::Direction::eq); }
inline ir::Value equal(ir::Value a, double b) { return compare(a, b, ir::Direction::eq); }
inline ir::Value less(ir::Value a, ir::Value b) { return compare(a, b, ir::Direction::lt); }
inline ir::Value greater(ir::Value a, ir::Value b) { return compare(a, b, ir::Direction::gt); }
// clang-format on

// The complex conjugate; a real value is unchanged.
inline ir::Value conjugate(ir::Value x) {
  return is_complex(x.dtype()) ? complex(real(x), -imag(x)) : x;
}

// Sum of all elements, as a scalar.
inline ir::Value sum_of_all(ir::Value x) {
  ir::Axes axes(static_cast<size_t>(x.rank()));
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
  return axes.empty() ? x : reduce_sum(x, axes);
}

}  // namespace autodiff
}  // namespace systolic::inline v0
