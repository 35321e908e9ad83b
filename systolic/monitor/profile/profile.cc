#include "systolic/monitor/profile/profile.h"

#include <algorithm>
#include <map>

#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace monitor {

using spans::RecordedSpan;
using spans::WorkKind;

std::vector<NestedSpan> nested_spans(const spans::RecordedThread& thread) {
  std::vector<NestedSpan> nested;
  nested.reserve(thread.spans.size());
  // Where two begin and end together, the one that ended later is around the other.
  for (size_t i = thread.spans.size(); i > 0; --i) nested.push_back({&thread.spans[i - 1]});
  std::stable_sort(nested.begin(), nested.end(), [](const NestedSpan& a, const NestedSpan& b) {
    return a.span->begin_ns != b.span->begin_ns ? a.span->begin_ns < b.span->begin_ns
                                                : a.span->end_ns > b.span->end_ns;
  });
  std::vector<int64_t> open;
  for (size_t i = 0; i < nested.size(); ++i) {
    while (!open.empty() &&
           nested[static_cast<size_t>(open.back())].end_ns() < nested[i].end_ns()) {
      open.pop_back();
    }
    if (!open.empty()) nested[i].parent = open.back();
    open.push_back(static_cast<int64_t>(i));
  }
  return nested;
}

std::vector<DeviceCore> device_cores(const Profile& profile) {
  std::map<int64_t, DeviceCore> cores;
  for (const auto& thread : profile.recorded.threads) {
    const std::vector<NestedSpan> nested = nested_spans(thread);
    std::vector<int64_t> core_of(nested.size(), -1);
    for (size_t i = 0; i < nested.size(); ++i) {
      const RecordedSpan& span = *nested[i].span;
      const WorkKind kind = profile.work(span.work).kind;
      if (nested[i].parent >= 0) core_of[i] = core_of[static_cast<size_t>(nested[i].parent)];
      if (kind == WorkKind::program) core_of[i] = span.number;
      const auto entry = [&]() -> DeviceCore& {
        DeviceCore& core = cores[core_of[i]];
        core.core = core_of[i];
        return core;
      };
      if (kind == WorkKind::program) entry().programs.push_back(span);
      if (kind == WorkKind::op && !span.is_share) entry().ops.push_back(span);
      if (kind == WorkKind::step) entry().steps.push_back(span);
    }
  }
  std::vector<DeviceCore> result;
  for (auto& [number, core] : cores) {
    for (auto* list : {&core.steps, &core.programs, &core.ops}) {
      std::stable_sort(list->begin(), list->end(),
                       [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
    }
    result.push_back(std::move(core));
  }
  return result;
}

std::string core_name(const Profile& profile, int64_t core) {
  if (core >= 0) return str("core ", core);
  return profile.cores > 1 ? str("cores 0 to ", profile.cores - 1, ", together") : "core 0";
}

}  // namespace monitor
}  // namespace systolic::inline v0
