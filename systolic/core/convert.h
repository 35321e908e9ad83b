// Converts a number from one element type to another, by XLA's rules (tensorflow/compiler/xla:
// "ConvertElementType").
//
// Floats to integers truncate towards zero and saturate, NaN becomes 0; integers to narrower
// integers wrap; complex to real takes the real part; anything to bool is != 0; every narrowing of
// floats rounds once, to nearest, ties to even.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "systolic/core/dtype.h"

namespace systolic::inline v0 {

template <class T>
inline constexpr bool is_complex_type =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T>
inline constexpr bool is_small_float =
    std::is_same_v<T, bfloat16> || std::is_same_v<T, float16> || std::is_same_v<T, float8_e4m3fn> ||
    std::is_same_v<T, float8_e5m2>;

// Rounds to odd, so that a second rounding to a type of at most 11 bits gives the result of a
// single rounding.
inline float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const double back = nearest;
  if (back == value || std::isnan(value) || std::isinf(nearest)) return nearest;
  const uint32_t bits = std::bit_cast<uint32_t>(nearest);
  if (bits & 1u) return nearest;
  const bool too_large = std::fabs(back) > std::fabs(value);
  return std::bit_cast<float>(too_large ? bits - 1 : bits + 1);
}

template <std::integral To, std::floating_point From>
To truncate_saturated(From value) {
  constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
  constexpr From beyond = static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * From(2);
  if (!(value >= low)) return std::isnan(value) ? To(0) : std::numeric_limits<To>::min();
  if (value >= beyond) return std::numeric_limits<To>::max();
  return static_cast<To>(value);
}

template <Element To, Element From>
To convert_element(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_complex_type<To> && is_complex_type<From>) {
    return To(static_cast<typename To::value_type>(value.real()),
              static_cast<typename To::value_type>(value.imag()));
  } else if constexpr (std::is_same_v<To, bool> && is_complex_type<From>) {
    return value.real() != 0 || value.imag() != 0;
  } else if constexpr (is_complex_type<From>) {
    return convert_element<To>(value.real());
  } else if constexpr (is_small_float<From>) {
    return convert_element<To>(static_cast<float>(value));
  } else if constexpr (is_complex_type<To>) {
    return To(convert_element<typename To::value_type>(value), 0);
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (is_small_float<To>) {
    if constexpr (std::is_same_v<From, float>) {
      return To(value);
    } else if constexpr (std::is_integral_v<From> && sizeof(From) == 8) {
      // More bits than a double holds: the bits shifted out stay as a sticky bit.
      if (value < From(1) << 48 && value + (From(1) << 48) > 0) {
        return To(round_to_odd(static_cast<double>(value)));
      }
      const From shifted = static_cast<From>((value >> 16) | From((value & 0xffff) != 0));
      return To(round_to_odd(static_cast<double>(shifted) * 65536.0));
    } else {
      return To(round_to_odd(static_cast<double>(value)));
    }
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return truncate_saturated<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

// The same for `count` elements of one array into another; string and token are an InvalidArgument.
void convert_elements(DType from, const void* source, DType to, void* destination, int64_t count);

}  // namespace systolic::inline v0
