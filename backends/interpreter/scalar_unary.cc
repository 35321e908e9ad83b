#include <bit>
#include <cmath>
#include <complex>
#include <type_traits>

#include "backends/interpreter/scalar.h"
#include "systolic/base/error.h"
#include "systolic/core/complex_math.h"
#include "systolic/core/convert.h"

namespace systolic::inline v0 {
namespace interpreter {
namespace {

using ir::OpCode;

[[noreturn]] void raise_undefined(OpCode code, DType dtype) {
  raise<Unimplemented>({.what = str("interpreter: ", ir::info(code).name, " of ", dtype)});
}

double sign_of(double x) { return std::isnan(x) ? x : x > 0 ? 1 : x < 0 ? -1 : x; }

double float_unary(OpCode code, double x) {
  switch (code) {
    case OpCode::abs:
      return std::fabs(x);
    case OpCode::cbrt:
      return std::cbrt(x);
    case OpCode::ceil:
      return std::ceil(x);
    case OpCode::cosine:
      return std::cos(x);
    case OpCode::erf:
      return std::erf(x);
    case OpCode::exponential:
      return std::exp(x);
    case OpCode::exponential_minus_one:
      return std::expm1(x);
    case OpCode::floor:
      return std::floor(x);
    case OpCode::imag:
      return 0;
    case OpCode::log:
      return std::log(x);
    case OpCode::log_plus_one:
      return std::log1p(x);
    case OpCode::logistic:
      return 1 / (1 + std::exp(-x));
    case OpCode::negate:
      return -x;
    case OpCode::real:
      return x;
    case OpCode::round_nearest_afz:
      return std::round(x);
    case OpCode::round_nearest_even:
      return std::nearbyint(x);
    case OpCode::rsqrt:
      return 1 / std::sqrt(x);
    case OpCode::sign:
      return sign_of(x);
    case OpCode::sine:
      return std::sin(x);
    case OpCode::sqrt:
      return std::sqrt(x);
    case OpCode::tan:
      return std::tan(x);
    case OpCode::tanh:
      return std::tanh(x);
    default:
      raise_undefined(code, DType::f64);
  }
}

using Complex = std::complex<double>;

Complex complex_unary(OpCode code, Complex x) {
  switch (code) {
    case OpCode::cbrt:
      return std::pow(x, 1.0 / 3);
    case OpCode::cosine:
      return std::cos(x);
    case OpCode::exponential:
      return complex_exp(x);
    case OpCode::exponential_minus_one:
      return complex_expm1(x);
    case OpCode::log:
      return std::log(x);
    case OpCode::log_plus_one:
      return complex_log1p(x);
    case OpCode::logistic:
      return 1.0 / (1.0 + complex_exp(-x));
    case OpCode::negate:
      return -x;
    case OpCode::rsqrt:
      return 1.0 / std::sqrt(x);
    case OpCode::sign:
      return x == 0.0 ? x : x / std::abs(x);
    case OpCode::sine:
      return std::sin(x);
    case OpCode::sqrt:
      return std::sqrt(x);
    case OpCode::tan:
      return complex_tan(x);
    case OpCode::tanh:
      return complex_tanh(x);
    default:
      raise_undefined(code, DType::c128);
  }
}

template <class T>
T integer_unary(OpCode code, T x) {
  using Unsigned = std::make_unsigned_t<T>;
  const auto bits = static_cast<Unsigned>(x);
  switch (code) {
    case OpCode::abs:
      return x < 0 ? static_cast<T>(Unsigned{0} - bits) : x;
    case OpCode::count_leading_zeros:
      return static_cast<T>(std::countl_zero(bits));
    case OpCode::negate:
      return static_cast<T>(Unsigned{0} - bits);
    case OpCode::not_:
      return static_cast<T>(~bits);
    case OpCode::popcnt:
      return static_cast<T>(std::popcount(bits));
    case OpCode::sign:
      return static_cast<T>((x > 0) - (x < 0));
    default:
      raise_undefined(code, dtype_of<T>);
  }
}

}  // namespace

template <class T>
T apply_unary(OpCode code, T x) {
  if constexpr (std::is_same_v<T, bool>) {
    if (code != OpCode::not_) raise_undefined(code, DType::pred);
    return !x;
  } else if constexpr (std::is_integral_v<T>) {
    return integer_unary(code, x);
  } else if constexpr (is_complex_type<T>) {
    return convert_element<T>(complex_unary(code, Complex(x)));
  } else if constexpr (is_small_float<T>) {
    return T(static_cast<float>(float_unary(code, static_cast<float>(x))));
  } else {
    return static_cast<T>(float_unary(code, x));
  }
}

#define SYSTOLIC_INSTANTIATE(T) template T apply_unary<T>(OpCode, T);
SYSTOLIC_FOR_EACH_ELEMENT_TYPE(SYSTOLIC_INSTANTIATE)
#undef SYSTOLIC_INSTANTIATE

}  // namespace interpreter
}  // namespace systolic::inline v0
