#include "systolic/torch_xla/ordinals/counters.h"

#include <algorithm>

namespace systolic::inline v0 {
namespace torch_xla {

Counters& Counters::of_process() {
  static Counters instance;
  return instance;
}

void Counters::add(std::string_view name, double value, bool is_time) {
  const std::lock_guard lock(mutex_);
  Metric& metric = metrics_[std::string(name)];
  ++metric.samples;
  metric.total += value;
  metric.largest = std::max(metric.largest, value);
  metric.is_time = is_time;
}

void Counters::count(std::string_view name, int64_t by) {
  const std::lock_guard lock(mutex_);
  counts_[std::string(name)] += by;
}

void Counters::clear() {
  const std::lock_guard lock(mutex_);
  metrics_.clear();
  counts_.clear();
}

std::map<std::string, Counters::Metric> Counters::metrics() const {
  const std::lock_guard lock(mutex_);
  return metrics_;
}

std::map<std::string, int64_t> Counters::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace torch_xla
}  // namespace systolic::inline v0
