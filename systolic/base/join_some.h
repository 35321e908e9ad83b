// Long lists in messages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "systolic/base/text.h"

namespace systolic::inline v0 {

// The first `most` of many names: "a, b and 7 more"; the same as join() where there are no more.
inline std::string join_some(std::vector<std::string> names, size_t most) {
  const size_t count = names.size();
  if (count <= most) return join(names);
  names.resize(most);
  return str(join(names), " and ", count - most, " more");
}

}  // namespace systolic::inline v0
