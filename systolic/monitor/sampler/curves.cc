#include "systolic/monitor/sampler/curves.h"

#include <algorithm>
#include <cmath>

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

}  // namespace

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
