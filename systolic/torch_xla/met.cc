#include "systolic/torch_xla/met.h"

#include "systolic/base/text.h"
#include "systolic/torch_xla/ordinals/counters.h"

namespace systolic::inline v0 {
namespace met {
namespace {

using torch_xla::Counters;

constexpr std::string_view run_alone = "xla::RunAlone";

std::string amount(double value, bool is_time) {
  if (!is_time) return str(static_cast<int64_t>(value), "B");
  const auto microseconds = static_cast<int64_t>(value * 1e6);
  return str(microseconds / 1000, "ms", microseconds % 1000, "us");
}

}  // namespace

std::string metrics_report() {
  std::string text;
  for (const auto& [name, metric] : Counters::of_process().metrics()) {
    text += str("Metric: ", name, "\n  TotalSamples: ", metric.samples,
                "\n  Accumulator: ", amount(metric.total, metric.is_time), "\n  Mean: ",
                amount(metric.total / static_cast<double>(metric.samples), metric.is_time),
                "\n  Largest: ", amount(metric.largest, metric.is_time), "\n");
  }
  for (const auto& [name, value] : Counters::of_process().counts())
    text += str("Counter: ", name, "\n  Value: ", value, "\n");
  return text;
}

std::vector<std::string> counter_names() {
  std::vector<std::string> names;
  for (const auto& entry : Counters::of_process().counts()) names.push_back(entry.first);
  return names;
}

std::optional<int64_t> counter_value(std::string_view name) {
  const auto counts = Counters::of_process().counts();
  const auto found = counts.find(std::string(name));
  if (found == counts.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const auto& entry : Counters::of_process().metrics()) names.push_back(entry.first);
  return names;
}

std::optional<std::pair<int64_t, double>> metric_data(std::string_view name) {
  const auto metrics = Counters::of_process().metrics();
  const auto found = metrics.find(std::string(name));
  if (found == metrics.end()) return std::nullopt;
  return std::pair(found->second.samples, found->second.total);
}

std::vector<std::string> executed_fallback_ops() {
  if (!counter_value(run_alone)) return {};
  return {std::string(run_alone)};
}

void clear_all() { Counters::of_process().clear(); }

}  // namespace met
}  // namespace systolic::inline v0
