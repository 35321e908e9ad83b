// Keys of up to 32 bits as unsigned numbers in the keys' order. Internal.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "backends/cpu/kernels/element_ops.h"
#include "systolic/core/convert.h"

namespace systolic::inline v0 {
namespace kernels {

template <class T>
using KeyType = std::conditional_t<is_small_float<T>, float, T>;

// `total`: as SortOrder::total; else all NaN are one, the largest, and -0 is 0.
template <class T>
uint32_t ordered_bits(T value, bool total) {
  using Key = KeyType<T>;
  const Key key = convert_element<Key>(value);
  if constexpr (std::is_floating_point_v<Key>) {
    if (!total && key != key) return UINT32_MAX;
    const uint32_t bits = std::bit_cast<uint32_t>(!total && key == 0 ? Key{0} : key);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
  } else if constexpr (std::is_signed_v<Key>) {
    return static_cast<uint32_t>(static_cast<int32_t>(key)) ^ 0x80000000u;
  } else {
    return static_cast<uint32_t>(key);
  }
}
template <class T>
constexpr bool has_ordered_bits = sizeof(KeyType<T>) <= 4;

}  // namespace kernels
}  // namespace systolic::inline v0
