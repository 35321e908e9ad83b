#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "backends/interpreter/scalar.h"
#include "systolic/base/error.h"
#include "systolic/core/convert.h"

namespace systolic::inline v0 {
namespace interpreter {
namespace {

using ir::CompareAttributes;
using ir::CompareType;
using ir::Direction;
using ir::OpCode;

[[noreturn]] void raise_undefined(OpCode code, DType dtype) {
  raise<Unimplemented>({.what = str("interpreter: ", ir::info(code).name, " of ", dtype)});
}

double maximum_of(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;  // of two zeros the positive one
  return a > b ? a : b;
}

double minimum_of(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

double float_binary(OpCode code, double a, double b) {
  switch (code) {
    case OpCode::add:
      return a + b;
    case OpCode::atan2:
      return std::atan2(a, b);
    case OpCode::divide:
      return a / b;
    case OpCode::maximum:
      return maximum_of(a, b);
    case OpCode::minimum:
      return minimum_of(a, b);
    case OpCode::multiply:
      return a * b;
    case OpCode::power:
      return std::pow(a, b);
    case OpCode::remainder:
      return std::fmod(a, b);
    case OpCode::subtract:
      return a - b;
    default:
      raise_undefined(code, DType::f64);
  }
}

using Complex = std::complex<double>;

bool before(Complex a, Complex b) {
  return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
}

// atan2 of complex numbers: -i log((x + i y) / sqrt(x^2 + y^2)).
Complex complex_atan2(Complex y, Complex x) {
  const Complex i(0, 1);
  return -i * std::log((x + i * y) / std::sqrt(x * x + y * y));
}

Complex complex_binary(OpCode code, Complex a, Complex b) {
  switch (code) {
    case OpCode::add:
      return a + b;
    case OpCode::atan2:
      return complex_atan2(a, b);
    case OpCode::divide:
      return a / b;
    case OpCode::maximum:
      return before(a, b) ? b : a;
    case OpCode::minimum:
      return before(b, a) ? b : a;
    case OpCode::multiply:
      return a * b;
    case OpCode::power:
      return a == 0.0 && b == 0.0 ? Complex(1) : std::pow(a, b);
    case OpCode::subtract:
      return a - b;
    default:
      raise_undefined(code, DType::c128);
  }
}

template <class T>
T integer_divide(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>) {
    if (b == -1)
      return static_cast<T>(std::make_unsigned_t<T>{0} - static_cast<std::make_unsigned_t<T>>(a));
  }
  return static_cast<T>(a / b);
}

template <class T>
T integer_remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

// By squaring, wrapping. A negative exponent leaves 0, or 1 and -1 where the base has that size;
// StableHLO leaves that of 0 to the implementation: 0 here.
template <class T>
T integer_power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      if (base == -1) return exponent % 2 == 0 ? 1 : -1;
      return base == 1 ? 1 : 0;
    }
  }
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (auto left = static_cast<std::make_unsigned_t<T>>(exponent); left != 0;
       left = static_cast<std::make_unsigned_t<T>>(left >> 1)) {
    if (left & 1u) result *= square;
    square *= square;
  }
  return static_cast<T>(result);
}

template <class T>
T integer_shift(OpCode code, T a, T b) {
  using Unsigned = std::make_unsigned_t<T>;
  const auto distance = static_cast<Unsigned>(b);
  const bool beyond = distance >= sizeof(T) * 8;
  const auto bits = static_cast<Unsigned>(a);
  if (code == OpCode::shift_left) return beyond ? T{0} : static_cast<T>(bits << distance);
  if (code == OpCode::shift_right_logical) return beyond ? T{0} : static_cast<T>(bits >> distance);
  const auto number = static_cast<std::make_signed_t<T>>(a);
  if (beyond) return static_cast<T>(number < 0 ? -1 : 0);
  return static_cast<T>(number >> distance);
}

template <class T>
T integer_binary(OpCode code, T a, T b) {
  // In 64 unsigned bits nothing overflows undefined, and the low bits are what wrapping gives.
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (code) {
    case OpCode::add:
      return static_cast<T>(x + y);
    case OpCode::subtract:
      return static_cast<T>(x - y);
    case OpCode::multiply:
      return static_cast<T>(x * y);
    case OpCode::divide:
      return integer_divide(a, b);
    case OpCode::remainder:
      return integer_remainder(a, b);
    case OpCode::power:
      return integer_power(a, b);
    case OpCode::maximum:
      return a > b ? a : b;
    case OpCode::minimum:
      return a < b ? a : b;
    case OpCode::and_:
      return static_cast<T>(x & y);
    case OpCode::or_:
      return static_cast<T>(x | y);
    case OpCode::xor_:
      return static_cast<T>(x ^ y);
    case OpCode::shift_left:
    case OpCode::shift_right_arithmetic:
    case OpCode::shift_right_logical:
      return integer_shift(code, a, b);
    default:
      raise_undefined(code, dtype_of<T>);
  }
}

bool bool_binary(OpCode code, bool a, bool b) {
  switch (code) {
    case OpCode::add:
    case OpCode::maximum:
    case OpCode::or_:
      return a || b;
    case OpCode::multiply:
    case OpCode::minimum:
    case OpCode::and_:
      return a && b;
    case OpCode::xor_:
      return a != b;
    default:
      raise_undefined(code, DType::pred);
  }
}

template <class T>
bool ordered(Direction direction, T a, T b) {
  switch (direction) {
    case Direction::eq:
      return a == b;
    case Direction::ne:
      return a != b;
    case Direction::ge:
      return a >= b;
    case Direction::gt:
      return a > b;
    case Direction::le:
      return a <= b;
    case Direction::lt:
      return a < b;
  }
  return false;
}

// -NaN < -inf < ... < -0 < +0 < ... < inf < NaN, as an integer.
template <class T>
int64_t total_order_key(T x) {
  int64_t bits = 0;
  if constexpr (sizeof(T) == 1) {
    bits = static_cast<int64_t>(std::bit_cast<int8_t>(x));
  } else if constexpr (sizeof(T) == 2) {
    bits = static_cast<int64_t>(std::bit_cast<int16_t>(x));
  } else if constexpr (sizeof(T) == 4) {
    bits = static_cast<int64_t>(std::bit_cast<int32_t>(x));
  } else {
    bits = std::bit_cast<int64_t>(x);
  }
  constexpr int64_t magnitude = static_cast<int64_t>((uint64_t{1} << (sizeof(T) * 8 - 1)) - 1);
  return bits < 0 ? bits ^ magnitude : bits;
}

}  // namespace

template <class T>
T apply_binary(OpCode code, T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    return bool_binary(code, a, b);
  } else if constexpr (std::is_integral_v<T>) {
    return integer_binary(code, a, b);
  } else if constexpr (is_complex_type<T>) {
    return convert_element<T>(complex_binary(code, Complex(a), Complex(b)));
  } else if constexpr (is_small_float<T>) {
    return T(static_cast<float>(float_binary(code, static_cast<float>(a), static_cast<float>(b))));
  } else {
    return static_cast<T>(float_binary(code, a, b));
  }
}

template <class T>
bool apply_compare(const CompareAttributes& compare, T a, T b) {
  if constexpr (is_complex_type<T>) {
    return compare.direction == Direction::ne ? a != b : a == b;
  } else if constexpr (std::is_integral_v<T>) {
    return ordered(compare.direction, a, b);
  } else {
    if (compare.type == CompareType::total_order) {
      return ordered(compare.direction, total_order_key(a), total_order_key(b));
    }
    return ordered(compare.direction, static_cast<double>(a), static_cast<double>(b));
  }
}

#define SYSTOLIC_INSTANTIATE(T)             \
  template T apply_binary<T>(OpCode, T, T); \
  template bool apply_compare<T>(const CompareAttributes&, T, T);
SYSTOLIC_FOR_EACH_ELEMENT_TYPE(SYSTOLIC_INSTANTIATE)
#undef SYSTOLIC_INSTANTIATE

}  // namespace interpreter
}  // namespace systolic::inline v0
