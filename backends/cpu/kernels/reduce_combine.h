// How two values are combined, for every kind of reduction and compute type: what reductions,
// windows and scatters share.
#pragma once

#include <limits>
#include <type_traits>

#include "backends/cpu/kernels/element_ops.h"
#include "backends/cpu/kernels/reduce.h"
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

}  // namespace kernels
}  // namespace systolic::inline v0
