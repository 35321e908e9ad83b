#include "systolic/monitor/profile/chrome_trace.h"

#include <ostream>

#include "systolic/monitor/json_text.h"
#include "systolic/monitor/profile/work_kind.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

// The trace's processes: its viewers show each as a group of tracks.
constexpr int device_group = 1, host_group = 2;

class TraceWriter {
 public:
  TraceWriter(const Profile& profile, std::ostream& out) : profile_(profile), out_(out) {}

  void write() {
    out_ << "{\"displayTimeUnit\":\"ms\",\"otherData\":" << about() << ",\"traceEvents\":[";
    name("process_name", device_group, 0,
         str(profile_.platform, " ", profile_.device_kind, " of ", profile_.program));
    name("process_name", host_group, 0, str(profile_.program, " ", profile_.process));
    for (const DeviceCore& core : device_cores(profile_)) write_core(core);
    for (const auto& thread : profile_.recorded.threads) write_thread(thread);
    out_ << "]}\n";
  }

 private:
  std::string about() const {
    return JsonObject()
        .add("host", profile_.host)
        .add("begin_time", profile_.recorded.begin_time)
        .add("lost_spans", profile_.recorded.lost)
        .text();
  }

  void event(const std::string& text) {
    out_ << (first_ ? "\n" : ",\n") << text;
    first_ = false;
  }

  void name(const char* what, int group, int64_t track, const std::string& text) {
    event(JsonObject()
              .add("ph", "M")
              .add("name", what)
              .add("pid", group)
              .add("tid", track)
              .add_text("args", JsonObject().add("name", text).text())
              .text());
  }

  void write_core(const DeviceCore& core) {
    const int64_t track = core.core + 1;
    name("thread_name", device_group, track, core_name(profile_, core.core));
    for (const auto* spans : {&core.steps, &core.programs, &core.ops}) {
      for (const auto& span : *spans) write_span(span, device_group, track);
    }
  }

  void write_thread(const spans::RecordedThread& thread) {
    name("thread_name", host_group, thread.id,
         thread.name.empty() ? str("thread ", thread.id) : thread.name);
    for (const auto& span : thread.spans) write_span(span, host_group, thread.id);
  }

  void write_span(const spans::RecordedSpan& span, int group, int64_t track) {
    const spans::Work& work = profile_.work(span.work);
    const bool is_step = work.kind == spans::WorkKind::step;
    event(JsonObject()
              .add("ph", "X")
              .add("name", is_step ? str(work.name, " ", span.number) : work.name)
              .add("cat", work_kind_name(work.kind))
              .add("pid", group)
              .add("tid", track)
              .add("ts", static_cast<double>(span.begin_ns) / 1000)
              .add("dur", static_cast<double>(span.end_ns - span.begin_ns) / 1000)
              .add_text("args", arguments(work, span))
              .text());
  }

  static std::string arguments(const spans::Work& work, const spans::RecordedSpan& span) {
    JsonObject object;
    if (!work.layer.empty()) object.add("layer", work.layer);
    if (work.line > 0) object.add("source", str(work.file, ":", work.line));
    if (work.flops > 0 && !span.is_share) object.add("flops", work.flops);
    if (work.bytes > 0 && !span.is_share) object.add("bytes", work.bytes);
    if (span.is_share) object.add("part", "of what another thread does");
    return object.text();
  }

  const Profile& profile_;
  std::ostream& out_;
  bool first_ = true;
};

}  // namespace

void write_chrome_trace(const Profile& profile, std::ostream& out) {
  TraceWriter(profile, out).write();
}

}  // namespace monitor
}  // namespace systolic::inline v0
