#include "systolic/monitor/run_status.h"

#include <algorithm>
#include <cmath>

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr std::array<std::string_view, 5> state_names{"training", "validating", "ended",
                                                      "interrupted", "failed"};

template <size_t size>
void clear_controls(FixedText<size>& text) {
  for (char& c : text.characters) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && byte != 0) || byte == 0x7F) c = ' ';
  }
  // C1 controls, which some terminals obey, are two bytes in UTF-8: C2 80 to C2 9F.
  for (size_t i = 0; i + 1 < size; ++i) {
    const auto first = static_cast<unsigned char>(text.characters[i]);
    const auto second = static_cast<unsigned char>(text.characters[i + 1]);
    if (first == 0xC2 && second >= 0x80 && second < 0xA0) {
      text.characters[i] = text.characters[i + 1] = ' ';
    }
  }
}

void bound(int32_t& count, size_t most) {
  count = std::clamp(count, 0, static_cast<int32_t>(most));
}

}  // namespace

std::string_view state_name(RunState state) { return state_names[static_cast<size_t>(state)]; }

void make_safe(RunStatus& status) {
  bound(status.core_count, most_cores);
  bound(status.log_count, most_logs);
  bound(status.happening_count, most_happenings);
  bound(status.point_count, most_points);
  bound(status.device_metric_count, most_device_metrics);
  bound(status.metric_count, most_logs);
  bound(status.epoch_point_count, most_epoch_points);
  const auto state = static_cast<int32_t>(status.state);
  if (state < 0 || state >= static_cast<int32_t>(state_names.size())) {
    status.state = RunState::failed;
  }
  clear_controls(status.program);
  clear_controls(status.name);
  clear_controls(status.platform);
  clear_controls(status.device_kind);
  clear_controls(status.failure);
  for (NamedNumber& log : status.log_list) clear_controls(log.name);
  for (auto& name : status.metric_name_list) clear_controls(name);
  for (DeviceMetric& metric : status.device_metric_list) clear_controls(metric.name);
  for (Happening& happening : status.happening_list) {
    clear_controls(happening.kind);
    clear_controls(happening.text);
  }
}

float mean_of_cores(const RunStatus& status, float CoreStatus::*percent) {
  float sum = 0;
  int known = 0;
  for (const CoreStatus& core : status.cores()) {
    if (std::isnan(core.*percent)) continue;
    sum += core.*percent;
    ++known;
  }
  return known == 0 ? unknown : sum / static_cast<float>(known);
}

}  // namespace monitor
}  // namespace systolic::inline v0
