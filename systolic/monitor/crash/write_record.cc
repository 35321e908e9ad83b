#include "systolic/monitor/crash/write_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "systolic/base/process/current_work.h"
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
    text.hexadecimal(record.address).end_line();
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
      text << "frame ";
      const void* frame = stack.frames[static_cast<size_t>(f)];
      text.hexadecimal(reinterpret_cast<uintptr_t>(frame)).end_line();
    }
  }
}

// Lines of /proc/self/maps, with what is executed: addresses become places in files by them.
void write_maps(SafeText& text) {
  const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  std::array<char, 2048> buffer;
  std::array<char, 512> line;
  size_t used = 0;
  for (;;) {
    const ssize_t got = read(file, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    for (ssize_t i = 0; i < got; ++i) {
      const char character = buffer[static_cast<size_t>(i)];
      if (character != '\n') {
        if (used < line.size()) line[used++] = character;
        continue;
      }
      const std::string_view whole(line.data(), used);
      // "start-end r-xp offset ..."
      if (whole.find(" r-xp ") != std::string_view::npos) (text << "module " << whole).end_line();
      used = 0;
    }
  }
  close(file);
}

}  // namespace

void write_record(int file, const CrashRecord& record) {
  SafeText text(file);
  (text << crash_file_begin).end_line();
  write_cause(text, record);
  write_run(text, record);
  write_steps(text, record);
  write_memory(text, record);
  write_events(text, record);
  write_stacks(text, record.stacks);
  if (record.stacks.count > 0) write_maps(text);
}

}  // namespace monitor
}  // namespace systolic::inline v0
