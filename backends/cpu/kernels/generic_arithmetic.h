// In what type the plain loops of matmul and convolution sum, one rule for both.
#pragma once

#include <cstdint>
#include <type_traits>

#include "systolic/core/convert.h"

namespace systolic::inline v0 {
namespace kernels {

// Small floats sum in float, integers modulo 2^64 (which gives the wrapped result in every width),
// pred as or of ands.
template <class T>
using Accumulator = std::conditional_t<
    std::is_same_v<T, bool>, bool,
    std::conditional_t<
        std::is_integral_v<T>, uint64_t,
        std::conditional_t<std::is_same_v<T, double> || is_complex_type<T>, T, float>>>;

template <class Sum, class T>
void add_product(Sum& sum, T a, T b) {
  if constexpr (std::is_same_v<T, bool>) {
    sum = sum || (a && b);
  } else if constexpr (std::is_same_v<Sum, uint64_t>) {
    sum += static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
  } else {
    sum += static_cast<Sum>(a) * static_cast<Sum>(b);
  }
}

template <class Sum, class T>
void add_value(Sum& sum, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    sum = sum || value;
  } else {
    sum += static_cast<Sum>(value);
  }
}

// max(sum, 0) in the meaning of the stored type T. A complex number has no order: it stays.
template <class T, class Sum>
Sum rectified(Sum sum) {
  if constexpr (is_complex_type<T> || std::is_unsigned_v<T>) {
    return sum;
  } else if constexpr (std::is_same_v<Sum, uint64_t>) {
    return static_cast<T>(sum) > 0 ? sum : 0;
  } else {
    return sum > 0 ? sum : (sum == sum ? Sum(0) : sum);  // NaN stays
  }
}

// min(sum, most) of floats.
template <class T, class Sum>
Sum at_most(Sum sum, double most) {
  if constexpr (std::is_floating_point_v<Sum>) {
    return sum > static_cast<Sum>(most) ? static_cast<Sum>(most) : sum;  // NaN stays
  } else {
    return sum;
  }
}

}  // namespace kernels
}  // namespace systolic::inline v0
