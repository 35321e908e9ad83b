// How two values are combined, for every kind of reduction and compute type: what reductions,
// windows and scatters share.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "backends/cpu/kernels/element_ops.h"
#include "backends/cpu/kernels/reduce/reduce.h"
#include "systolic/core/convert.h"

namespace systolic::inline v0 {
namespace kernels {

// Bytes of pred are combined as numbers: 0 and 1 are closed under and, or, xor, and as maximum and
// minimum. Bits of floats are not combined: they stay.
template <ReduceKind kind, class T>
inline T reduce_combine(T a, T b) {
  constexpr bool real = std::is_floating_point_v<T>;
  if constexpr (kind == ReduceKind::sum) {
    return element::add(a, b);
  } else if constexpr (kind == ReduceKind::product) {
    return element::multiply(a, b);
  } else if constexpr (kind == ReduceKind::maximum) {
    // A NaN, once taken, stays: nothing compares with it.
    if constexpr (real) return b > a || b != b ? b : a;
    return a > b ? a : b;
  } else if constexpr (kind == ReduceKind::minimum) {
    if constexpr (real) return b < a || b != b ? b : a;
    return a < b ? a : b;
  } else if constexpr (real) {
    return a;
  } else if constexpr (kind == ReduceKind::and_) {
    return element::and_(a, b);
  } else if constexpr (kind == ReduceKind::or_) {
    return element::or_(a, b);
  } else {
    return element::xor_(a, b);
  }
}

template <ReduceKind kind, class T>
constexpr T reduce_neutral() {
  using Limits = std::numeric_limits<T>;
  constexpr bool real = std::is_floating_point_v<T>;
  switch (kind) {
    case ReduceKind::product:
      return 1;
    case ReduceKind::and_:
      if constexpr (!real) return static_cast<T>(~T{0});
      return 0;
    case ReduceKind::maximum:
      return real ? -Limits::infinity() : Limits::lowest();
    case ReduceKind::minimum:
      return real ? Limits::infinity() : Limits::max();
    default:
      return 0;
  }
}

template <ReduceKind kind>
struct KindTag {
  static constexpr ReduceKind value = kind;
};

// Calls visitor(KindTag<kind>{}).
template <class Visitor>
void visit_kind(ReduceKind kind, Visitor&& visitor) {
  switch (kind) {
    case ReduceKind::sum:
      return visitor(KindTag<ReduceKind::sum>{});
    case ReduceKind::product:
      return visitor(KindTag<ReduceKind::product>{});
    case ReduceKind::maximum:
      return visitor(KindTag<ReduceKind::maximum>{});
    case ReduceKind::minimum:
      return visitor(KindTag<ReduceKind::minimum>{});
    case ReduceKind::and_:
      return visitor(KindTag<ReduceKind::and_>{});
    case ReduceKind::or_:
      return visitor(KindTag<ReduceKind::or_>{});
    case ReduceKind::xor_:
      return visitor(KindTag<ReduceKind::xor_>{});
  }
}

// What an element of Stored is combined as: small floats as float, pred as a byte.
template <class Stored>
using CombineType =
    std::conditional_t<is_small_float<Stored>, float,
                       std::conditional_t<std::is_same_v<Stored, bool>, uint8_t, Stored>>;

// The type that stands for T in reductions of a kind: where the sign does not matter, the unsigned
// one, so that fewer functions are compiled.
template <ReduceKind kind, class T>
constexpr auto reduce_stand_in() {
  constexpr bool ordered = kind == ReduceKind::maximum || kind == ReduceKind::minimum;
  if constexpr (std::is_integral_v<T> && !ordered) {
    return TypeTag<std::make_unsigned_t<T>>{};
  } else {
    return TypeTag<T>{};
  }
}

// Calls visitor(KindTag, TypeTag<T>{}) with the compute type T of `dtype` in this kind of
// reduction; nothing for pairs that Reduction::supports denies.
template <class Visitor>
void visit_reduction(ReduceKind kind, DType dtype, Visitor&& visitor) {
  visit_kind(kind, [&](auto kind_tag) {
    constexpr ReduceKind which = decltype(kind_tag)::value;
    constexpr bool of_bits =
        which == ReduceKind::and_ || which == ReduceKind::or_ || which == ReduceKind::xor_;
    const auto call = [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (!(of_bits && std::is_floating_point_v<T>)) {
        visitor(kind_tag, reduce_stand_in<which, T>());
      }
    };
    switch (dtype) {
      case DType::pred:
      case DType::u8:
        return call(TypeTag<uint8_t>{});
      case DType::i8:
        return call(TypeTag<int8_t>{});
      case DType::i16:
        return call(TypeTag<int16_t>{});
      case DType::u16:
        return call(TypeTag<uint16_t>{});
      case DType::i32:
        return call(TypeTag<int32_t>{});
      case DType::u32:
        return call(TypeTag<uint32_t>{});
      case DType::i64:
        return call(TypeTag<int64_t>{});
      case DType::u64:
        return call(TypeTag<uint64_t>{});
      case DType::f64:
        return call(TypeTag<double>{});
      case DType::f32:
      case DType::bf16:
      case DType::f16:
      case DType::f8e4m3fn:
      case DType::f8e5m2:
        return call(TypeTag<float>{});
      default:
        return;
    }
  });
}

}  // namespace kernels
}  // namespace systolic::inline v0
