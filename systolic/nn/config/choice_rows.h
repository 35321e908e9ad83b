// One table for what may be named ("adam") and for what a configuration may ask for ({"class_name":
// "Adam", ...}): a row for each name, and after them rows of classes that have no name. Rows have
// the members `name` and `kind` (the class), either of which may be "".
//
//   constexpr Row rows[] = {SYSTOLIC_OPTIMIZERS(SYSTOLIC_ROW) row<Lookahead>("")};
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

// A row of a list of names and classes (nn/config/choice.h), made by the source's own `row`.
#define SYSTOLIC_ROW(name, Spec) row<Spec>(name),

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
