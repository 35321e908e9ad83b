// Depth, height and width: `3` is {3, 3, 3}. And the type that says one size for each spatial axis.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

#include "systolic/nn/config/config.h"
#include "systolic/nn/config/size2.h"

namespace systolic::inline v0 {

struct Size3 {
  int64_t depth = 0, height = 0, width = 0;

  constexpr Size3() = default;
  template <std::integral Integer>
  constexpr Size3(Integer all)  // NOLINT
      : depth(static_cast<int64_t>(all)), height(depth), width(depth) {}
  constexpr Size3(int64_t planes, int64_t rows, int64_t columns)
      : depth(planes), height(rows), width(columns) {}

  friend constexpr bool operator==(Size3 a, Size3 b) {
    return a.depth == b.depth && a.height == b.height && a.width == b.width;
  }
};
std::string to_string(Size3 size);  // "(3, 5, 7)"
Config to_config(Size3 value);
void from_config(const Config& config, Size3& value);

namespace internal {
template <int rank>
struct SpatialSizeOf;
template <>
struct SpatialSizeOf<1> {
  using Type = int64_t;
};
template <>
struct SpatialSizeOf<2> {
  using Type = Size2;
};
template <>
struct SpatialSizeOf<3> {
  using Type = Size3;
};
}  // namespace internal

// int64_t, Size2 or Size3.
template <int rank>
using SpatialSize = typename internal::SpatialSizeOf<rank>::Type;

}  // namespace systolic::inline v0
