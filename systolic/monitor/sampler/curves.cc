#include "systolic/monitor/sampler/curves.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace systolic::inline v0 {
namespace monitor {
namespace {

float mean(float a, float b) {
  if (std::isnan(a)) return b;
  return std::isnan(b) ? a : (a + b) / 2;
}

CurvePoint mean(const CurvePoint& a, const CurvePoint& b) {
  CurvePoint point{.time = b.time,
                   .loss = mean(a.loss, b.loss),
                   .steps_per_second = mean(a.steps_per_second, b.steps_per_second)};
  for (size_t i = 0; i < cores_with_curves; ++i) {
    point.mxu_percent[i] = mean(a.mxu_percent[i], b.mxu_percent[i]);
    point.idle_percent[i] = mean(a.idle_percent[i], b.idle_percent[i]);
    point.input_wait_percent[i] = mean(a.input_wait_percent[i], b.input_wait_percent[i]);
    point.memory_bytes[i] = std::max(a.memory_bytes[i], b.memory_bytes[i]);
  }
  return point;
}

void halve(RunStatus& status) {
  auto& points = status.point_list;
  const auto pairs = static_cast<size_t>(status.point_count) / 2;
  for (size_t i = 0; i < pairs; ++i) points[i] = mean(points[2 * i], points[2 * i + 1]);
  status.point_count = static_cast<int32_t>(pairs);
  status.point_seconds *= 2;
}

bool is_due(const RunStatus& status, double time) {
  constexpr double slack = 0.05;  // a sampler that wakes a little early is not late
  const auto points = status.points();
  return points.empty() || time >= points.back().time + status.point_seconds - slack;
}

// The place of a metric, which gets one where it has none; most_logs where there is no room.
size_t place_of(RunFacts& facts, std::string_view name) {
  const FixedText<48> wanted(name);
  const auto names = facts.metric_names();
  const auto found = std::find_if(names.begin(), names.end(),
                                  [&](const auto& known) { return known.view() == wanted.view(); });
  const auto place = static_cast<size_t>(found - names.begin());
  if (found == names.end() && place < most_logs) {
    facts.metric_name_list[place] = wanted;
    ++facts.metric_count;
    for (EpochPoint& point : facts.epoch_point_list) point.values[place] = unknown;
  }
  return place;
}

void leave_every_other(RunFacts& facts) {
  auto& points = facts.epoch_point_list;
  const auto half = static_cast<size_t>(facts.epoch_point_count) / 2;
  for (size_t i = 0; i < half; ++i) points[i] = points[2 * i + 1];
  facts.epoch_point_count = static_cast<int32_t>(half);
  facts.epochs_per_point *= 2;
}

}  // namespace

void add_epoch_point(RunFacts& facts, int epoch, const Logs& logs) {
  const auto points = facts.epoch_points();
  if (!points.empty() && epoch < points.back().epoch + facts.epochs_per_point) return;
  if (points.size() == most_epoch_points) {
    leave_every_other(facts);
    if (epoch < facts.epoch_points().back().epoch + facts.epochs_per_point) return;
  }
  EpochPoint point{.epoch = epoch};
  point.values.fill(unknown);
  for (const auto& [name, value] : logs) {
    const size_t place = place_of(facts, name);
    if (place < most_logs) point.values[place] = static_cast<float>(value);
  }
  facts.epoch_point_list[static_cast<size_t>(facts.epoch_point_count++)] = point;
}

void add_point(RunStatus& status) {
  const double time = status.time - status.begin_time;
  if (!is_due(status, time)) return;
  if (status.points().size() == most_points) {
    halve(status);
    if (!is_due(status, time)) return;
  }
  CurvePoint point{.time = time,
                   .loss = static_cast<float>(status.loss),
                   .steps_per_second = static_cast<float>(status.steps_per_second)};
  for (size_t i = 0; i < std::min(status.cores().size(), cores_with_curves); ++i) {
    const CoreStatus& core = status.core_list[i];
    point.mxu_percent[i] = core.mxu_percent;
    point.idle_percent[i] = core.idle_percent;
    point.input_wait_percent[i] = core.input_wait_percent;
    point.memory_bytes[i] = static_cast<float>(core.memory_bytes);
  }
  status.point_list[static_cast<size_t>(status.point_count++)] = point;
}

}  // namespace monitor
}  // namespace systolic::inline v0
