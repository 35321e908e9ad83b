// One table for what may be named ("adam") and for what a configuration may ask for ({"class_name":
// "Adam", ...}): a row for each name, and after them rows of classes that have no name. Rows have
// the members `name` and `kind` (the class), either of which may be "".
//
//   constexpr Row rows[] = {row<SGD>("sgd"), row<Adam>("adam"), row<Lookahead>("")};
//   static_assert(rows_follow_names<OptimizerNames>(rows));
//   rows[position]                                              // of a Choice, or of parse_choice
//   row_of_kind(rows, OptimizerNames::subject, config, location).from_fields(config["config"])
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "systolic/nn/config/choice.h"
#include "systolic/nn/config/config.h"

namespace systolic::inline v0 {

// Whether the first rows are those of Names::names in its order, so that a choice's row is found by
// its position, and the others have no name. The compiler checks it.
template <class Names, class Row, size_t n>
constexpr bool rows_follow_names(const Row (&rows)[n]) {
  const size_t named = Names::names.size();
  if (n < named) return false;
  return std::equal(rows, rows + named, Names::names.begin(),
                    [](const Row& row, std::string_view name) { return row.name == name; }) &&
         std::all_of(rows + named, rows + n, [](const Row& row) { return row.name.empty(); });
}

// The row of the class that a configuration names; another class is an InvalidArgument with the
// closest: "optimizer 'Adm' is not known, expected one of: ...".
template <class Row, size_t n>
const Row& row_of_kind(const Row (&rows)[n], std::string_view subject, const Config& config,
                       SourceLocation location) {
  const std::string& kind = config["class_name"].text_value();
  std::vector<std::string> kinds;
  for (const Row& row : rows) {
    if (!row.kind.empty() && row.kind == kind) return row;
    const bool listed = std::find(kinds.begin(), kinds.end(), row.kind) != kinds.end();
    if (!row.kind.empty() && !listed) kinds.emplace_back(row.kind);
  }
  return rows[parse_choice(subject, kind, kinds, location)];  // raises
}

}  // namespace systolic::inline v0
