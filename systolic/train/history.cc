#include "systolic/train/history.h"

#include <limits>

#include "systolic/base/error.h"

namespace systolic::inline v0 {

double log_value(const Logs& logs, std::string_view name) {
  for (const auto& [known, value] : logs) {
    if (known == name) return value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

double History::last(const std::string& name) const {
  const auto found = history.find(name);
  if (found != history.end() && !found->second.empty()) return found->second.back();
  std::vector<std::string> names;
  for (const auto& [known, values] : history) names.push_back(known);
  raise<NotFound>(
      {.what = str("History has no '", name, "'"), .wanted = str("one of: ", join(names))});
}

}  // namespace systolic::inline v0
