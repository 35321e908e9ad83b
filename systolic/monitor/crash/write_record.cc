#include "systolic/monitor/crash/write_record.h"

#include <algorithm>
#include <cmath>

#include "systolic/base/process/current_work.h"
#include "systolic/monitor/crash/build_ids.h"
#include "systolic/monitor/crash/executable_maps.h"
#include "systolic/monitor/crash/safe_text.h"
#include "systolic/monitor/crash/version.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

std::string_view cause_name(CrashCause cause) {
  switch (cause) {
    case CrashCause::signal:
      return "signal";
    case CrashCause::terminate:
      return "terminate";
    case CrashCause::exception:
      return "exception";
    case CrashCause::unknown:
      break;
  }
  return "unknown";
}

void write_cause(SafeText& text, const CrashRecord& record) {
  text << "cause " << cause_name(record.cause);
  text.end_line();
  if (record.signal != 0) {
    text << "signal " << record.signal << " by " << record.by_process << " address ";
    text.hexadecimal(record.address) << " code " << record.signal_code << " user " << record.by_user
                                     << " program " << record.by_program.view();
    text.end_line();
  }
  if (!record.error.empty()) (text << "error " << record.error.view()).end_line();
  const WorkPlace work = current_work();
  if (*work.what != '\0') {
    // A loop's text goes on with its body.
    const std::string_view what = work.what;
    (text << "doing " << what.substr(0, what.find('\n'))).end_line();
  }
  if (*work.layer != '\0') (text << "layer " << work.layer).end_line();
  if (work.line > 0) (text << "line " << work.file << ":" << work.line).end_line();
}

void write_run(SafeText& text, const CrashRecord& record) {
  text << "time ";
  text.time(record.time).end_line();
  (text << "program " << record.program.view()).end_line();
  (text << "process " << record.process << " start " << record.process_start).end_line();
  (text << "versions systolic " << library_version << ", compiler " __VERSION__ ", "
        << record.system.view())
      .end_line();
  (text << "device " << record.platform.view() << " " << record.device_kind.view()).end_line();
  (text << "cores " << record.cores).end_line();
  (text << "run " << record.run << " " << record.name.view()).end_line();
  text << "begin ";
  text.time(record.begin_time).end_line();
  (text << "progress epoch " << record.epoch << " of " << record.epochs << " steps " << record.steps
        << " samples " << record.samples << " batch " << record.batch_size << " evaluates "
        << static_cast<int>(record.evaluates))
      .end_line();
  if (!record.shapes.empty()) (text << "shapes " << record.shapes.view()).end_line();
}

void write_steps(SafeText& text, const CrashRecord& record) {
  size_t first = 0;
  for (size_t i = 0; i < most_last_steps; ++i) {
    const int64_t step = record.last_steps[i].step;
    const int64_t least = record.last_steps[first].step;
    if (step >= 0 && (least < 0 || step < least)) first = i;
  }
  for (size_t i = 0; i < most_last_steps; ++i) {
    const LastStep& step = record.last_steps[(first + i) % most_last_steps];
    if (step.step < 0) continue;
    text << "step " << step.step << " at ";
    text.time(step.time) << " ms " << step.milliseconds << " samples " << step.samples << " loss ";
    step.knows_loss ? text << static_cast<double>(step.loss) : text << "unknown";
    text.end_line();
  }
}

void write_memory(SafeText& text, const CrashRecord& record) {
  const auto count = std::min(static_cast<size_t>(record.memory_count), most_memory_points);
  for (size_t i = 0; i < count; ++i) {
    const MemoryPoint& point = record.memory[i];
    text << "memory at ";
    text.time(point.time) << " process " << point.process_bytes << " device " << point.device_bytes
                          << " left " << point.host.left << " of " << point.host.limit;
    text.end_line();
  }
}

void write_events(SafeText& text, const CrashRecord& record) {
  const int64_t most = most_last_events;
  for (int64_t i = std::max<int64_t>(0, record.event_count - most); i < record.event_count; ++i) {
    const Happening& one = record.last_events[static_cast<size_t>(i % most)];
    text << "event at ";
    text.time(one.time) << " " << one.kind.view() << " " << one.text.view();
    text.end_line();
  }
}

void write_stacks(SafeText& text, const ThreadStacks& stacks) {
  if (stacks.count > 0) (text << "threads " << stacks.all).end_line();
  const auto count = std::min(static_cast<size_t>(stacks.count), most_stack_threads);
  for (size_t i = 0; i < count; ++i) {
    const ThreadStack& stack = stacks.list[i];
    (text << "thread " << stack.thread << " " << stack.name.data()).end_line();
    for (int32_t f = 0; f < stack.frame_count; ++f) {
      text << (f < stack.sure_count ? "frame " : "perhaps ");
      const void* frame = stack.frames[static_cast<size_t>(f)];
      text.hexadecimal(reinterpret_cast<uintptr_t>(frame)).end_line();
    }
  }
}

// Lines of /proc/self/maps, with what is executed: addresses become places in files by them.
void write_range(void* context, const MappedRange& range) {
  if (!range.executable) return;
  SafeText& text = *static_cast<SafeText*>(context);
  (text << "module " << range.line).end_line();
  const char* build = build_id_between(range.begin, range.end);
  if (*build != '\0') (text << "build " << build).end_line();
}

// What a reader must find below.
void write_counts(SafeText& text, const CrashRecord& record) {
  int64_t steps = 0;
  for (const LastStep& step : record.last_steps) steps += step.step >= 0 ? 1 : 0;
  text << "holds steps " << steps << " memory " << record.memory_count << " events "
       << std::min<int64_t>(record.event_count, most_last_events) << " stacks "
       << record.stacks.count;
  text.end_line();
}

}  // namespace

bool write_record(int file, const CrashRecord& record) {
  SafeText text(file);
  (text << crash_file_begin).end_line();
  write_counts(text, record);
  write_cause(text, record);
  write_run(text, record);
  write_steps(text, record);
  write_memory(text, record);
  write_events(text, record);
  write_stacks(text, record.stacks);
  if (record.stacks.count > 0) each_mapped_range(write_range, &text);
  (text << crash_file_end).end_line();
  return text.finish();
}

}  // namespace monitor
}  // namespace systolic::inline v0
