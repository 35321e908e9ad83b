#include "systolic/train/options/history.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {

double log_value(const Logs& logs, std::string_view name, SourceLocation location) {
  std::vector<std::string> names;
  for (const auto& [known, value] : logs) {
    if (known == name) return value;
    names.push_back(known);
  }
  if (names.empty()) {
    raise<NotFound>({.what = str("there is no '", name, "' in the logs: they are empty"),
                     .hint = "the logs of single steps are read for callbacks whose "
                             "wants_batch_logs() returns true",
                     .location = location});
  }
  raise<NotFound>({.what = str("there is no '", name, "' in the logs"),
                   .wanted = str("one of: ", join(names)),
                   .hint = "metrics are computed where compile({.metrics = {...}}) names them",
                   .location = location});
}

double History::last(std::string_view name, SourceLocation location) const {
  Logs last_epoch;
  for (const auto& [known, values] : history) {
    if (!values.empty()) last_epoch.emplace_back(known, values.back());
  }
  if (!last_epoch.empty()) return log_value(last_epoch, name, location);
  raise<NotFound>(
      {.what = str("there is no '", name, "': no epoch has ended"), .location = location});
}

}  // namespace systolic::inline v0
