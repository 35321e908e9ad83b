// The axes that an op goes over, written as in NumPy: one number, or several in braces. Negative
// ones count from the end; none at all means what the op says.
//
//   sum(x, {.axis = -1})   mean(x, {.axis = {1, 2}})   squeeze(x, 0)
#pragma once

#include <concepts>
#include <initializer_list>
#include <utility>
#include <vector>

namespace systolic::inline v0 {

struct Axes {
  Axes() = default;
  template <std::integral Axis>
  Axes(Axis axis) : values{static_cast<int>(axis)} {}       // NOLINT: axis = 1
  Axes(std::initializer_list<int> axes) : values(axes) {}   // NOLINT: axis = {1, 2}
  Axes(std::vector<int> axes) : values(std::move(axes)) {}  // NOLINT

  std::vector<int> values = {};
};

// A number that stands for one axis: `sum(x, 1)`. Not a bool, which says something else.
template <class T>
concept AxisNumber = std::integral<T> && !std::same_as<T, bool>;

}  // namespace systolic::inline v0
