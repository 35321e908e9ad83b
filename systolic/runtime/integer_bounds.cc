#include "systolic/runtime/integer_bounds.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace systolic::inline v0 {
namespace runtime {
namespace {

template <class T>
std::optional<IntegerBounds> bounds_of(std::span<const T> values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  constexpr auto largest = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if constexpr (std::is_same_v<T, uint64_t>) {
    if (*most > largest) return IntegerBounds{0, std::numeric_limits<int64_t>::max()};
  }
  return IntegerBounds{static_cast<int64_t>(*least), static_cast<int64_t>(*most)};
}

}  // namespace

std::optional<IntegerBounds> integer_bounds(const Literal& values) {
  if (values.size() == 0) return std::nullopt;
  switch (values.dtype()) {
    case DType::i16:
      return bounds_of(values.data<int16_t>());
    case DType::u16:
      return bounds_of(values.data<uint16_t>());
    case DType::i32:
      return bounds_of(values.data<int32_t>());
    case DType::u32:
      return bounds_of(values.data<uint32_t>());
    case DType::i64:
      return bounds_of(values.data<int64_t>());
    case DType::u64:
      return bounds_of(values.data<uint64_t>());
    default:
      return std::nullopt;
  }
}

}  // namespace runtime
}  // namespace systolic::inline v0
