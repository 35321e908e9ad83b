// How much lies before and after on each spatial axis, as padding and cropping layers take it.
//
//   Margins<1> m = 2;                  // two steps on both sides
//   Margins<1> m = {1, 0};             // one step before, none after
//   Margins<2> m = {1, 2};             // one row above and below, two columns left and right
//   Margins<2> m = {{1, 0}, {0, 2}};   // (top, bottom), (left, right)
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <utility>
#include <vector>

#include "systolic/nn/config/config.h"

namespace systolic::inline v0 {

template <int rank>
struct Margins {
  using Sides = std::pair<int64_t, int64_t>;
  std::array<Sides, rank> sides = {};

  constexpr Margins() = default;
  template <std::integral Integer>
  constexpr Margins(Integer all) {  // NOLINT
    for (Sides& side : sides) side = {static_cast<int64_t>(all), static_cast<int64_t>(all)};
  }
  constexpr Margins(int64_t before, int64_t after) requires(rank == 1)
      : sides{Sides{before, after}} {}
  constexpr Margins(int64_t rows, int64_t columns) requires(rank == 2)
      : sides{Sides{rows, rows}, Sides{columns, columns}} {}
  constexpr Margins(int64_t planes, int64_t rows, int64_t columns) requires(rank == 3)
      : sides{Sides{planes, planes}, Sides{rows, rows}, Sides{columns, columns}} {}
  constexpr Margins(Sides rows, Sides columns) requires(rank == 2) : sides{rows, columns} {}
  constexpr Margins(Sides planes, Sides rows, Sides columns) requires(rank == 3)
      : sides{planes, rows, columns} {}

  friend constexpr bool operator==(const Margins& a, const Margins& b) {
    return a.sides == b.sides;
  }
};

// As Keras writes it: [before, after] for one axis, a list of such pairs for several. Read back
// from one number, and for several axes from a number for each, too.
Config margins_config(const std::vector<std::pair<int64_t, int64_t>>& sides);
std::vector<std::pair<int64_t, int64_t>> margins_from(const Config& config, int rank);

template <int rank>
Config to_config(const Margins<rank>& value) {
  return margins_config({value.sides.begin(), value.sides.end()});
}
template <int rank>
void from_config(const Config& config, Margins<rank>& value) {
  const auto sides = margins_from(config, rank);
  for (size_t i = 0; i < sides.size(); ++i) value.sides[i] = sides[i];
}

}  // namespace systolic::inline v0
