#include "systolic/train/options/history.h"

#include "systolic/base/error.h"

namespace systolic::inline v0 {

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
