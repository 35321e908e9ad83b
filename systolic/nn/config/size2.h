// Height and width: `3` is {3, 3}.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

namespace systolic::inline v0 {

struct Size2 {
  int64_t height = 0, width = 0;

  constexpr Size2() = default;
  template <std::integral Integer>
  constexpr Size2(Integer both)  // NOLINT
      : height(static_cast<int64_t>(both)), width(static_cast<int64_t>(both)) {}
  constexpr Size2(int64_t rows, int64_t columns) : height(rows), width(columns) {}

  friend constexpr bool operator==(Size2 a, Size2 b) {
    return a.height == b.height && a.width == b.width;
  }
};
std::string to_string(Size2 size);  // "(3, 5)"

}  // namespace systolic::inline v0
