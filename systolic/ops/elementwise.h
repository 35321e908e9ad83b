// keras.ops, element by element: all take any shape and broadcast as NumPy does. What stands after
// `using` is the op of trace/ops with the same name.
//
//   Tensor y = ops::logaddexp(ops::arcsinh(x), 0.0);
//
// Element types are not promoted: two Tensors of one op have the same, and a number takes that of
// the Tensor beside it. Functions of floats take integers as f32. Gradients flow where the function
// has one.
#pragma once

#include <optional>

#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/tensor.h"

namespace systolic::inline v0 {
namespace ops {

using v0::add;
using v0::cast;
using v0::clip;
using v0::divide;
using v0::divide_no_nan;
using v0::equal;
using v0::exp;
using v0::expm1;
using v0::greater;
using v0::less;
using v0::log;
using v0::log1p;
using v0::logical_and;
using v0::logical_not;
using v0::logical_or;
using v0::maximum;
using v0::minimum;
using v0::multiply;
using v0::not_equal;
using v0::rsqrt;
using v0::sign;
using v0::sqrt;
using v0::square;
using v0::stop_gradient;
using v0::subtract;
using v0::where;
// clang-format off
using v0::abs; using v0::ceil; using v0::cos; using v0::erf; using v0::floor; using v0::round; using v0::sin; using v0::tan; using v0::tanh;  // NOLINT

// One operand.
Tensor absolute(Operand x);
Tensor fabs(Operand x);
Tensor angle(Operand x);             // of a complex number; of a real one 0 or pi
Tensor arccos(Operand x);
Tensor arccosh(Operand x);
Tensor arcsin(Operand x);
Tensor arcsinh(Operand x);
Tensor arctan(Operand x);
Tensor arctanh(Operand x);
Tensor bitwise_invert(Operand x);    // integers
Tensor bitwise_not(Operand x);
Tensor cbrt(Operand x);
Tensor conj(Operand x);
Tensor conjugate(Operand x);
Tensor cosh(Operand x);
Tensor deg2rad(Operand x);
Tensor erfc(Operand x);
Tensor erfinv(Operand x);
Tensor exp2(Operand x);
Tensor i0(Operand x);                // the modified Bessel function of order 0
Tensor imag(Operand x);              // 0 of a real number
Tensor isfinite(Operand x);          // pred, as all is...
Tensor isinf(Operand x);
Tensor isnan(Operand x);
Tensor isneginf(Operand x);
Tensor isposinf(Operand x);
Tensor isreal(Operand x);
Tensor log10(Operand x);
Tensor log2(Operand x);
Tensor negative(Operand x);
Tensor rad2deg(Operand x);
Tensor real(Operand x);
Tensor reciprocal(Operand x);
Tensor signbit(Operand x);           // pred
Tensor sinc(Operand x);              // sin(pi x) / (pi x)
Tensor sinh(Operand x);
Tensor trunc(Operand x);

// Two operands.
Tensor arctan2(Operand y, Operand x);
Tensor bitwise_and(Operand a, Operand b);
Tensor bitwise_left_shift(Operand x, Operand bits);
Tensor bitwise_or(Operand a, Operand b);
Tensor bitwise_right_shift(Operand x, Operand bits);
Tensor bitwise_xor(Operand a, Operand b);
Tensor floor_divide(Operand a, Operand b);
Tensor fmax(Operand a, Operand b);   // the other where one is NaN, as fmin
Tensor fmin(Operand a, Operand b);
Tensor fmod(Operand a, Operand b);   // with the sign of a
Tensor gcd(Operand a, Operand b);    // integers, as lcm
Tensor greater_equal(Operand a, Operand b);
Tensor heaviside(Operand x, Operand at_zero);
Tensor hypot(Operand a, Operand b);
Tensor lcm(Operand a, Operand b);
Tensor ldexp(Operand x, Operand exponent);
Tensor left_shift(Operand x, Operand bits);
Tensor less_equal(Operand a, Operand b);
Tensor logaddexp(Operand a, Operand b);
Tensor logaddexp2(Operand a, Operand b);
Tensor logical_xor(Operand a, Operand b);
Tensor mod(Operand a, Operand b);    // with the sign of b
Tensor nextafter(Operand x, Operand towards);
Tensor power(Operand a, Operand b);
Tensor right_shift(Operand x, Operand bits);
Tensor true_divide(Operand a, Operand b);
Tensor polar(Operand length, Operand angle);  // a complex number
// clang-format on

// How close numbers are that count as equal.
struct CloseOptions {
  double rtol = 1e-5;      // of |b|
  double atol = 1e-8;      // what is allowed besides
  bool equal_nan = false;  // whether two NaN are close
};
// pred: |a - b| <= atol + rtol |b|, and equal infinities; allclose is whether all are.
Tensor isclose(Operand a, Operand b, CloseOptions options = {});
Tensor allclose(Operand a, Operand b, CloseOptions options = {});

// What stands in the place of NaN and of infinities.
struct NanToNum {
  double nan = 0;
  std::optional<double> posinf = {}, neginf = {};  // the largest and the lowest finite number
};
// x with these numbers.
Tensor nan_to_num(Operand x, NanToNum numbers = {});

// As cast, but numbers beyond the type's range become its limit.
Tensor saturate_cast(Operand x, DType dtype);

}  // namespace ops
}  // namespace systolic::inline v0
