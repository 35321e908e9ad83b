#include "systolic/datasets/tables/json_bounds.h"

#include <array>

namespace systolic::inline v0 {
namespace datasets {

bool is_within_json_bounds(std::string_view json) {
  std::array<size_t, most_json_levels + 1> members{};  // of the object that is open at each level
  size_t level = 0;
  bool in_text = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_text = !in_text;
    } else if (in_text) {
      continue;
    } else if (c == '[' || c == '{') {
      if (++level > most_json_levels) return false;
      members[level] = 0;
    } else if (c == ']' || c == '}') {
      if (level > 0) --level;
    } else if (c == ':' && ++members[level] > most_json_members) {
      return false;
    }
  }
  return true;
}

}  // namespace datasets
}  // namespace systolic::inline v0
