// StableHLO's elementwise ops on one element, for every type that has no vector kernel of its own;
// and the combiners of reductions and scatters. XLA's choices are stated in tile_program.h.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace systolic::inline v0 {
namespace kernels {
namespace element {

template <class T>
inline constexpr int bit_width = static_cast<int>(sizeof(T) * 8);

// Unsigned arithmetic wraps; of at least 32 bits, so that promotion to int cannot overflow.
template <class T>
using Wrapping = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

template <class T>
inline T add(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
}
template <class T>
inline T subtract(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a - b;
  } else {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
  }
}
template <class T>
inline T multiply(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a * b;
  } else {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
}
template <class T>
inline T divide(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a / b;
  } else {
    if (b == 0) return static_cast<T>(~T{0});
    if constexpr (std::is_signed_v<T>) {
      if (b == T{-1}) return subtract(T{0}, a);
    }
    return static_cast<T>(a / b);
  }
}
template <class T>
inline T remainder(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fmod(a, b);
  } else {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
      if (b == T{-1}) return T{0};
    }
    return static_cast<T>(a % b);
  }
}
template <class T>
inline T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a != a ? a : (a > b || (a == b && !std::signbit(a)) ? a : b);
  } else {
    return a > b ? a : b;
  }
}
template <class T>
inline T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a != a ? a : (a < b || (a == b && std::signbit(a)) ? a : b);
  } else {
    return a < b ? a : b;
  }
}
template <class T>
inline T power(T base, T exponent) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(base, exponent);
  } else {
    if constexpr (std::is_signed_v<T>) {
      // 1 / base^n truncates to 0 except for 1 and -1. StableHLO leaves 1 / 0^n to the
      // implementation: 0 here and in the interpreter.
      if (exponent < 0) {
        if (base == 1) return 1;
        if (base == T{-1}) return exponent % 2 == 0 ? T{1} : T{-1};
        return T{0};
      }
    }
    T result = 1;
    for (auto left = static_cast<std::make_unsigned_t<T>>(exponent); left != 0; left >>= 1) {
      if (left & 1) result = multiply(result, base);
      base = multiply(base, base);
    }
    return result;
  }
}
template <class T>
inline T and_(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
inline T or_(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
inline T xor_(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
inline T not_(T a) {
  return static_cast<T>(~a);
}
// Shift amounts are read as unsigned.
template <class T>
inline T shift_left(T a, T by) {
  using U = std::make_unsigned_t<T>;
  return static_cast<U>(by) >= U{bit_width<T>}
             ? T{0}
             : static_cast<T>(static_cast<Wrapping<T>>(a) << static_cast<U>(by));
}
template <class T>
inline T shift_right_logical(T a, T by) {
  using U = std::make_unsigned_t<T>;
  return static_cast<U>(by) >= U{bit_width<T>}
             ? T{0}
             : static_cast<T>(static_cast<U>(a) >> static_cast<U>(by));
}
template <class T>
inline T shift_right_arithmetic(T a, T by) {
  using U = std::make_unsigned_t<T>;
  using S = std::make_signed_t<T>;
  const U amount = static_cast<U>(by) >= U{bit_width<T>} ? U{bit_width<T> - 1} : static_cast<U>(by);
  return static_cast<T>(static_cast<S>(a) >> amount);
}
template <class T>
inline T abs(T a) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::fabs(a);
  } else if constexpr (std::is_signed_v<T>) {
    return a < 0 ? subtract(T{0}, a) : a;
  } else {
    return a;
  }
}
template <class T>
inline T negate(T a) {
  if constexpr (std::is_floating_point_v<T>) {
    return -a;
  } else {
    return subtract(T{0}, a);
  }
}
template <class T>
inline T sign(T a) {
  if constexpr (std::is_floating_point_v<T>) {
    // By the bits: a == 0 may be true of subnormal numbers.
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    const bool zero = static_cast<Bits>(std::bit_cast<Bits>(a) << 1) == 0;
    return a != a || zero ? a : std::copysign(T{1}, a);
  } else {
    return static_cast<T>((a > 0) - (std::is_signed_v<T> && a < T{0}));
  }
}
template <class T>
inline T popcnt(T a) {
  return static_cast<T>(std::popcount(static_cast<std::make_unsigned_t<T>>(a)));
}
template <class T>
inline T count_leading_zeros(T a) {
  return static_cast<T>(std::countl_zero(static_cast<std::make_unsigned_t<T>>(a)));
}
template <class T>
inline T clamp(T low, T value, T high) {
  return minimum(maximum(value, low), high);
}

// The bits of a float as an integer that sorts as IEEE 754 totalOrder.
template <class T>
inline auto total_order_key(T value) {
  using Bits = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  const Bits bits = std::bit_cast<Bits>(value);
  return bits < 0 ? static_cast<Bits>(bits ^ std::numeric_limits<Bits>::max()) : bits;
}

// Rounds to a float of fewer bits, to nearest with ties to even; overflow becomes infinity, and
// what would be subnormal becomes a zero of the same sign (as XLA's ReducePrecision does).
template <class T>
inline T reduce_precision(T value, int exponent_bits, int mantissa_bits) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  constexpr int mantissa = std::numeric_limits<T>::digits - 1;
  constexpr int exponent = bit_width<T> - 1 - mantissa;
  constexpr Bits sign_mask = Bits{1} << (bit_width<T> - 1);
  Bits bits = std::bit_cast<Bits>(value);
  if (value != value) return value;
  if (mantissa_bits < mantissa) {
    const int dropped = mantissa - mantissa_bits;
    const Bits last = (bits >> dropped) & 1;
    bits += (Bits{1} << (dropped - 1)) - 1 + last;
    bits &= ~((Bits{1} << dropped) - 1);
  }
  if (exponent_bits < exponent) {
    const Bits sign = bits & sign_mask;
    const Bits bias = (Bits{1} << (exponent - 1)) - 1;
    const Bits reduced_bias = (Bits{1} << (exponent_bits - 1)) - 1;
    const Bits field = (bits & ~sign_mask) >> mantissa;
    if (field > bias + reduced_bias) {
      bits = sign | (((Bits{1} << exponent) - 1) << mantissa);
    } else if (field <= bias - reduced_bias) {
      bits = sign;
    }
  }
  return std::bit_cast<T>(bits);
}

}  // namespace element
}  // namespace kernels
}  // namespace systolic::inline v0
