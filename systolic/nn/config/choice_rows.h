// What the compiler checks of a table that has a row for each name of a Choice.
#pragma once

#include <algorithm>
#include <iterator>

namespace systolic::inline v0 {

// Whether the rows, each with a member `name`, are those of Names::names in its order: then a
// choice's row is found by its position.
//
//   static_assert(rows_follow_names<OptimizerNames>(rows));
template <class Names, class Rows>
constexpr bool rows_follow_names(const Rows& rows) {
  return std::equal(std::begin(rows), std::end(rows), Names::names.begin(), Names::names.end(),
                    [](const auto& row, const auto& name) { return row.name == name; });
}

}  // namespace systolic::inline v0
