#include "systolic/monitor/sampler/core_rates.h"

#include <algorithm>

namespace systolic::inline v0 {
namespace monitor {
namespace {

double seconds_of(const runtime::CoreCounters& counters) {
  return counters.busy_seconds + counters.input_wait_seconds + counters.idle_seconds;
}

float percent(double part, double whole) { return static_cast<float>(100 * part / whole); }

// Counters that were reset between two readings.
bool went_back(const std::vector<runtime::CoreCounters>& before,
               const std::vector<runtime::CoreCounters>& now) {
  if (before.size() != now.size()) return true;
  for (size_t i = 0; i < now.size(); ++i) {
    if (seconds_of(now[i]) < seconds_of(before[i]) || now[i].flops < before[i].flops) return true;
  }
  return false;
}

}  // namespace

void set_core_rates(CoreStatus& status, const runtime::CoreCounters& before,
                    const runtime::CoreCounters& now, double peak_flops) {
  status.flops = now.flops;
  status.matrix_flops = now.matrix_flops;
  status.collective_bytes = now.collective_bytes;
  status.busy_seconds = now.busy_seconds;
  status.input_wait_seconds = now.input_wait_seconds;
  status.idle_seconds = now.idle_seconds;
  status.peak_memory_bytes = now.peak_memory_bytes;
  const double seconds = seconds_of(now) - seconds_of(before);
  if (!(seconds > 0)) return;
  const double busy = now.busy_seconds - before.busy_seconds;
  // A wait is known when it is over: until then its time counted as idle. What an earlier reading
  // took for idle belongs to that one.
  const double idle = now.idle_seconds - before.idle_seconds;
  const double waited = now.input_wait_seconds - before.input_wait_seconds + std::min(idle, 0.0);
  status.collective_bytes_per_second =
      static_cast<float>((now.collective_bytes - before.collective_bytes) / seconds);
  status.busy_percent = percent(busy, seconds);
  status.input_wait_percent = percent(waited, seconds);
  status.idle_percent = percent(std::max(idle, 0.0), seconds);
  const double most = peak_flops * busy;
  if (!(most > 0)) return;
  status.mxu_percent = percent(now.matrix_flops - before.matrix_flops, most);
  status.padded_mxu_percent = percent(now.padded_matrix_flops - before.padded_matrix_flops, most);
}

void CoreReadings::add(std::vector<runtime::CoreCounters> counters) {
  if (!readings_.empty() && went_back(readings_.back(), counters)) readings_.clear();
  readings_.push_back(std::move(counters));
  if (readings_.size() > most_ + 1) readings_.pop_front();
}

void CoreReadings::set_rates(std::span<CoreStatus> cores, double peak_flops) const {
  if (readings_.empty()) return;
  const auto &before = readings_.front(), &now = readings_.back();
  for (size_t i = 0; i < std::min(cores.size(), now.size()); ++i) {
    set_core_rates(cores[i], before[i], now[i], peak_flops);
  }
}

}  // namespace monitor
}  // namespace systolic::inline v0
