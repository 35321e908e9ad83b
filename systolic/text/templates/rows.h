// Tables of what a template may name. Internal to text.
#pragma once

#include <string>
#include <vector>

#include "systolic/base/error.h"

namespace systolic::inline v0 {
namespace text {

// The row of that name; Unimplemented, with a list of those that there are, where there is none.
template <class Row, size_t n>
const Row& row_of(const Row (&rows)[n], const std::string& name, const char* what) {
  std::vector<std::string> known;
  for (const Row& row : rows) {
    if (row.name == name) return row;
    known.emplace_back(row.name);
  }
  raise<Unimplemented>(
      {.what = str(what, " '", name.substr(0, 40), "'"), .wanted = str("one of ", join(known))});
}

}  // namespace text
}  // namespace systolic::inline v0
