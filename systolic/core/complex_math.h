// Functions of complex numbers that std::complex lacks, or computes less exactly than f64 holds,
// for every backend.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace systolic::inline v0 {

// e^x. The angle of an infinite imaginary part is not known, so the result is not either: NaN, as
// e^re cos(im) + i e^re sin(im) gives it. (C's cexp has zeros and infinities of unspecified sign
// where the real part is infinite too.)
inline std::complex<double> complex_exp(std::complex<double> x) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return std::isinf(x.imag()) ? std::complex<double>(nan, nan) : std::exp(x);
}

// e^x - 1 without cancellation near 0.
inline std::complex<double> complex_expm1(std::complex<double> x) {
  const double half_sine = std::sin(x.imag() / 2);
  const double grown = std::exp(x.real());
  // Without an angle there is no imaginary part, however large e^re is.
  return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * half_sine * half_sine,
          x.imag() == 0 ? x.imag() : grown * std::sin(x.imag())};
}

// NaN where the angle is not known, as XLA has it: C's ctanh keeps a real part of 0.
inline std::complex<double> complex_tanh(std::complex<double> x) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const bool unknown = std::isfinite(x.real()) && !std::isfinite(x.imag());
  return unknown ? std::complex<double>(nan, nan) : std::tanh(x);
}

// -i tanh(i x)
inline std::complex<double> complex_tan(std::complex<double> x) {
  const std::complex<double> turned = complex_tanh({-x.imag(), x.real()});
  return {turned.imag(), -turned.real()};
}

// log(1 + x): its real part by |1 + x|^2 - 1, which may be small; far from 0 without overflow.
inline std::complex<double> complex_log1p(std::complex<double> x) {
  const double angle = std::atan2(x.imag(), 1 + x.real());
  const double one = std::fabs(1 + x.real()), other = std::fabs(x.imag());
  const double larger = std::max(one, other), smaller = std::min(one, other);
  if (larger > 4) {
    const double ratio = std::isinf(larger) ? 0 : smaller / larger;
    return {std::log(larger) + std::log1p(ratio * ratio) / 2, angle};
  }
  const long double re = x.real(), im = x.imag();
  return {static_cast<double>(std::log1p(re * (2 + re) + im * im) / 2), angle};
}

}  // namespace systolic::inline v0
