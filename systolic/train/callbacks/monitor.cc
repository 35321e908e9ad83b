#include "systolic/train/callbacks/monitor.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "systolic/base/log.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace {

bool larger_is_better(const std::string& name, MonitorMode mode) {
  if (mode != MonitorMode::automatic) return mode == MonitorMode::max;
  for (const char* word : {"acc", "auc", "precision", "recall"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

Monitor::Monitor(std::string name, MonitorMode mode, double min_delta)
    : name_(std::move(name)),
      sign_(larger_is_better(name_, mode) ? 1 : -1),
      min_delta_(min_delta) {}

std::optional<double> Monitor::value(std::string_view callback, int epoch, const Logs& logs) const {
  std::vector<std::string> names;
  for (const auto& [name, value] : logs) {
    if (name == name_) return value;
    names.push_back(name);
  }
  log_warning(str(callback, " watches '", name_, "', which is not among the logs of epoch ",
                  epoch + 1, ": ", join(names), "."));
  return std::nullopt;
}

double Monitor::worst() const { return -sign_ * std::numeric_limits<double>::infinity(); }

}  // namespace systolic::inline v0
