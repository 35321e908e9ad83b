// Columns of tables of text.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace systolic::inline v0 {
namespace monitor {

// The text at the right end of a column so wide; a longer one is as wide as it is.
inline std::string right(std::string_view text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + std::string(text);
}

}  // namespace monitor
}  // namespace systolic::inline v0
