#include "systolic/transformers/peft/module_pattern.h"

#include <algorithm>
#include <vector>

#include "systolic/base/ascii.h"
#include "systolic/base/text.h"
#include "systolic/text/patterns/regex.h"

namespace systolic::inline v0 {
namespace {

bool is_found(const std::string& pattern, const std::string& module) {
  return !text::regex_pattern(pattern)->find_all(module).empty();
}

// Nine digits at most: no model has as many layers as more of them say.
std::optional<int64_t> number_in(const std::string& part) {
  const bool fits = !part.empty() && part.size() < 10 && std::ranges::all_of(part, is_ascii_digit);
  return fits ? std::optional<int64_t>(std::stoll(part)) : std::nullopt;
}

}  // namespace

bool matches_whole(const std::string& pattern, const std::string& module) {
  return is_found("\\A(?:" + pattern + ")\\z", module);
}

bool matches_end(const std::string& pattern, const std::string& module) {
  return is_found("\\A(?:.*\\.)?(?:" + pattern + ")\\z", module);
}

std::optional<int64_t> layer_number(const std::string& module, const std::string& pattern) {
  const std::vector<std::string> parts = split(module, '.');
  const size_t first = pattern.empty() ? 2 : 1;
  for (size_t i = first; i + 1 < parts.size(); ++i) {
    const std::optional<int64_t> number = number_in(parts[i]);
    if (!number) continue;
    if (pattern.empty() || matches_whole(pattern, parts[i - 1])) return number;
  }
  return {};
}

}  // namespace systolic::inline v0
