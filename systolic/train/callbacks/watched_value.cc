#include "systolic/train/callbacks/watched_value.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "systolic/base/error.h"
#include "systolic/events/event_stream.h"
#include "systolic/train/model/model_access.h"
#include "systolic/train/step/step_logs.h"

namespace systolic::inline v0 {
namespace {

// Whether the name of a user's function, which says nothing else, is that of a score.
bool sounds_like_a_score(const std::string& name) {
  for (const char* word : {"acc", "auc", "precision", "recall"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

WatchedValue::WatchedValue(std::string name, MonitorMode mode, double min_delta)
    : name_(std::move(name)),
      mode_(mode),
      sign_(mode == MonitorMode::max ? 1 : -1),
      min_delta_(min_delta) {}

void WatchedValue::begin(std::string_view callback, const Model& model, SourceLocation location) {
  if (mode_ != MonitorMode::automatic) return;
  sign_ = -1;
  const LogDirection direction = log_direction(model, name_);
  if (direction.larger_is_better) {
    sign_ = *direction.larger_is_better ? 1 : -1;
  } else if (sounds_like_a_score(name_)) {
    sign_ = 1;
  } else if (direction.known_name) {
    raise<InvalidArgument>(
        {.what = str(callback, " watches '", name_,
                     "', a metric that does not say whether larger "
                     "is better"),
         .wanted = ".mode = MonitorMode::max or MonitorMode::min",
         .hint = "a metric object says it for all by `static constexpr bool larger_is_better`",
         .location = location});
  }
}

std::optional<double> WatchedValue::value(std::string_view callback, int epoch,
                                          const Logs& logs) const {
  std::vector<std::string> names;
  for (const auto& [name, value] : logs) {
    if (name == name_) return value;
    names.push_back(name);
  }
  publish(events::Notice{
      {.level = LogLevel::warning,
       .text = str(callback, " watches '", name_, "', which is not among the logs of epoch ",
                   epoch + 1, ": ", join(names), ".")}});
  return std::nullopt;
}

double WatchedValue::worst() const { return -sign_ * std::numeric_limits<double>::infinity(); }

}  // namespace systolic::inline v0
