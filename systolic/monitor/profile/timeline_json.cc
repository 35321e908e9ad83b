#include "systolic/monitor/profile/timeline_json.h"

#include <algorithm>
#include <map>

#include "systolic/base/text.h"
#include "systolic/monitor/json_text.h"
#include "systolic/monitor/profile/work_kind.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

double microseconds(int64_t ns) { return static_cast<double>(ns) / 1000; }

class TimelineWriter {
 public:
  TimelineWriter(const Profile& profile, size_t most_spans)
      : profile_(profile), most_spans_(most_spans), lost_(profile.recorded.lost) {}

  std::string write() {
    for (DeviceCore& core : device_cores(profile_)) {
      spans::RecordedThread all{.name = core_name(profile_, core.core)};
      for (auto* list : {&core.ops, &core.programs, &core.steps}) {
        all.spans.insert(all.spans.end(), list->begin(), list->end());
      }
      add_track(all.name, all);
    }
    for (const auto& thread : profile_.recorded.threads) {
      add_track(thread.name.empty() ? str("thread ", thread.id) : thread.name, thread);
    }
    return JsonObject()
        .add("duration", microseconds(profile_.recorded.duration_ns))
        .add("lost", lost_)
        .add_text("works", str("[", works_, "]"))
        .add_text("tracks", str("[", tracks_, "]"))
        .text();
  }

 private:
  void add_track(const std::string& name, const spans::RecordedThread& thread) {
    const std::vector<NestedSpan> nested = nested_spans(thread);
    const size_t count = std::min(nested.size(), most_spans_);
    lost_ += static_cast<int64_t>(nested.size() - count);
    std::vector<int> depth(count, 0);
    std::string spans;
    for (size_t i = 0; i < count; ++i) {
      const auto& span = *nested[i].span;
      if (nested[i].parent >= 0) depth[i] = depth[static_cast<size_t>(nested[i].parent)] + 1;
      const bool is_step = profile_.work(span.work).kind == spans::WorkKind::step;
      spans += str(i == 0 ? "" : ",", "[", microseconds(span.begin_ns), ",",
                   microseconds(span.end_ns - span.begin_ns), ",", index_of(span.work), ",",
                   depth[i], ",", is_step ? span.number : -1, "]");
    }
    tracks_ += tracks_.empty() ? "" : ",";
    tracks_ += JsonObject().add("name", name).add_text("spans", str("[", spans, "]")).text();
  }

  size_t index_of(spans::WorkId id) {
    const auto [found, is_new] = indices_.try_emplace(id, indices_.size());
    if (!is_new) return found->second;
    const spans::Work& work = profile_.work(id);
    JsonObject object;
    object.add("name", work.name).add("kind", work_kind_name(work.kind));
    if (!work.layer.empty()) object.add("layer", work.layer);
    if (work.line > 0) object.add("source", str(work.file, ":", work.line));
    works_ += works_.empty() ? "" : ",";
    works_ += object.text();
    return found->second;
  }

  const Profile& profile_;
  const size_t most_spans_;
  int64_t lost_;
  std::map<spans::WorkId, size_t> indices_;
  std::string works_, tracks_;
};

}  // namespace

std::string timeline_json(const Profile& profile, size_t most_spans) {
  return TimelineWriter(profile, most_spans).write();
}

}  // namespace monitor
}  // namespace systolic::inline v0
