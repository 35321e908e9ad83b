// The functions of the chlo dialect, written in ops of StableHLO.
//
// A formula takes floats of f32 or f64 (or complex numbers, where it says so); smaller floats are
// widened to f32 around it.
#pragma once

#include <span>

#include "systolic/ir/builder/builder.h"

namespace systolic::inline v0 {
namespace stablehlo {

// What formulas share.
namespace formula {

ir::Value like(ir::Value x, double number);
ir::Value less(ir::Value a, ir::Value b);
ir::Value less(ir::Value a, double b);
ir::Value equal(ir::Value a, double b);
ir::Value greater(ir::Value a, double b);
ir::Value abs(ir::Value x);
ir::Value log(ir::Value x);
ir::Value log1p(ir::Value x);
ir::Value exp(ir::Value x);
ir::Value sqrt(ir::Value x);
ir::Value floor(ir::Value x);
ir::Value sign(ir::Value x);
ir::Value max(ir::Value a, ir::Value b);
ir::Value min(ir::Value a, ir::Value b);
ir::Value atan2(ir::Value y, ir::Value x);
ir::Value real(ir::Value z);
ir::Value imag(ir::Value z);
ir::Value complex(ir::Value re, ir::Value im);
// The largest finite number of the element type, and the smallest normal one.
double largest(ir::Value x);
double smallest_normal(ir::Value x);
// Horner's rule, the highest power first.
ir::Value polynomial(ir::Value x, std::span<const double> coefficients);

}  // namespace formula

// chlo_inverse.cc: of floats and of complex numbers.
ir::Value acos(ir::Value x);
ir::Value acosh(ir::Value x);
ir::Value asin(ir::Value x);
ir::Value asinh(ir::Value x);
ir::Value atan(ir::Value x);
ir::Value atanh(ir::Value x);
// sqrt(a^2 - x^2) + i log(a + sqrt(a^2 - 1)) of z = x + iy, a the mean distance to -1 and 1.
ir::Value asin_acos_kernel(ir::Value z);

// chlo_hyperbolic.cc: of floats and of complex numbers.
ir::Value cosh(ir::Value x);
ir::Value sinh(ir::Value x);
ir::Value conj(ir::Value x);
ir::Value square(ir::Value x);

// chlo_next_after.cc: of floats of any width.
// The float next to x on the way to y; y where they are equal.
ir::Value next_after(ir::Value x, ir::Value y);

// chlo_error.cc
ir::Value bessel_i1e(ir::Value x);
ir::Value erf_inv(ir::Value x);
ir::Value erfc(ir::Value x);

// chlo_gamma.cc
ir::Value digamma(ir::Value x);
ir::Value lgamma(ir::Value x);
ir::Value polygamma(ir::Value n, ir::Value x);
ir::Value zeta(ir::Value x, ir::Value q);

}  // namespace stablehlo
}  // namespace systolic::inline v0
