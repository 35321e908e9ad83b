#include <signal.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "systolic/base/text.h"
#include "systolic/monitor/crash/crash_report.h"
#include "systolic/monitor/crash/frame_names.h"
#include "systolic/monitor/terminal/numbers.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

struct SignalMeaning {
  int number;
  std::string_view name, meaning, advice;
};
constexpr std::array<SignalMeaning, 7> signal_meanings{{
    {SIGSEGV, "SIGSEGV", "it touched memory that is not its own",
     "where the stack is in your code, a build with -fsanitize=address names the line; where it is "
     "in Systolic, report it with this file"},
    {SIGBUS, "SIGBUS", "it touched memory that no longer has anything under it",
     "a file that is mapped was cut short, or /dev/shm is full (df /dev/shm)"},
    {SIGILL, "SIGILL", "the processor does not know an instruction",
     "a part was built for another processor: -march=native of another machine, or a plugin"},
    {SIGFPE, "SIGFPE", "an integer was divided by zero",
     "look for a division in your own code on the stack; numbers of arrays do not raise it"},
    {SIGSYS, "SIGSYS", "the system forbids a call that it made",
     "a sandbox or container (seccomp) is too strict"},
    {SIGABRT, "SIGABRT", "it gave up: abort() was called",
     "what it printed last on stderr says why; an allocator that found damaged memory does so, "
     "too"},
    {SIGQUIT, "SIGQUIT", "somebody ended it with Ctrl-\\ or kill -QUIT",
     "the stacks show where each thread was: those that wait for each other hang"},
}};

// Where a SIGSEGV or SIGBUS happened. The processor does not tell of an address that no pointer can
// have.
std::string address_text(const CrashReport& report) {
  if (report.signal != SIGSEGV && report.signal != SIGBUS) return "";
  if (report.address == 0 && report.signal_code == SI_KERNEL)
    return " at an address that no pointer can have";
  std::array<char, 24> address{};
  snprintf(address.data(), address.size(), "0x%llx",
           static_cast<unsigned long long>(report.address));
  return str(" at ", address.data());
}

// A signal that was sent says nothing of what the program did.
bool was_sent(const CrashReport& report) { return report.by_process != 0; }
bool sent_itself(const CrashReport& report) { return report.by_process == report.process; }

std::string cause_text(const CrashReport& report) {
  for (const SignalMeaning& one : signal_meanings) {
    if (one.number != report.signal) continue;
    const bool gave_up = one.number == SIGABRT && sent_itself(report);
    if (!was_sent(report) || gave_up) {
      return str(one.meaning, " (", one.name, address_text(report), ")");
    }
    if (sent_itself(report)) return str("it sent itself ", one.name, ", by raise() or kill()");
    if (report.by_process < 0) return str("somebody outside of its container sent it ", one.name);
    const std::string name = report.by_program.empty() ? "" : str(" ('", report.by_program, "')");
    return str("process ", report.by_process, name, " of user ", report.by_user, " sent it ",
               one.name);
  }
  return str("signal ", report.signal);
}

std::string what_happened(const CrashReport& report, bool alive) {
  switch (report.cause) {
    case CrashCause::signal:
      return cause_text(report);
    case CrashCause::terminate:
      return str("an exception that nobody caught ended it: ", report.error);
    case CrashCause::exception:
      return str("an exception ended the run: ", report.error);
    case CrashCause::unknown:
      break;
  }
  if (alive) return "nothing: it still runs";
  return "it could say nothing: it was ended from outside (SIGKILL, a second Ctrl-C), or the "
         "machine "
         "was";
}

bool lacked_memory(const CrashReport& report) {
  return report.error.find("no memory left") != std::string::npos ||
         report.error.find("bad_alloc") != std::string::npos;
}

// A twentieth of what there is, in the last reading.
bool had_little_memory(const CrashReport& report) {
  if (report.memory.empty()) return false;
  const MemoryLeft& host = report.memory.back().host;
  constexpr int64_t part = 20;
  return host.limit > 0 && host.left < host.limit / part;
}

std::string signal_advice(const CrashReport& report) {
  const bool hangs = report.signal == SIGQUIT;
  if (was_sent(report) && !sent_itself(report) && !hangs) {
    return "ask whoever started that process: nothing went wrong in the run itself";
  }
  for (const SignalMeaning& one : signal_meanings) {
    if (one.number == report.signal) return std::string(one.advice);
  }
  return "";
}

std::string what_to_do(const CrashReport& report, bool alive) {
  if (lacked_memory(report)) return "use a smaller batch or model; `systolic plan` says what fits";
  if (report.cause == CrashCause::signal) return signal_advice(report);
  if (report.cause == CrashCause::terminate) {
    return "catch it in the thread that throws it: an exception does not pass from one thread to "
           "another";
  }
  if (report.cause == CrashCause::exception || alive) return "";
  if (had_little_memory(report)) {
    return "little memory was left, and the system's out of memory killer is likely: `dmesg | grep "
           "-i oom` says so; use a smaller batch, or fewer records in shuffle() and cache()";
  }
  return "where memory grew, the system's out of memory killer is likely: `dmesg | grep -i oom` "
         "says so";
}

void add_row(std::string& text, std::string_view label, std::string_view value) {
  if (value.empty()) return;
  constexpr size_t width = 10;
  text +=
      str("  ", label, std::string(width - std::min(width - 1, label.size()), ' '), value, "\n");
}

std::string place_text(const CrashReport& report) {
  std::string text = report.doing;
  if (!report.layer.empty()) text += " in " + report.layer;
  if (!report.line.empty()) text += ", at " + report.line;
  return text;
}

std::string progress_text(const CrashReport& report) {
  std::string text = report.steps == 0
                         ? std::string("no step done yet")
                         : str(report.steps, report.steps == 1 ? " step" : " steps", " done");
  if (report.epoch >= 0) text += str(", in epoch ", report.epoch + 1, " of ", report.epochs);
  if (report.evaluates) text += ", evaluating";
  return str(text, ", ", time_text(report.time - report.begin_time), " after it began");
}

const LastStep* first_without_number(const std::vector<LastStep>& known) {
  const auto found = std::find_if(known.begin(), known.end(),
                                  [](const LastStep& step) { return !std::isfinite(step.loss); });
  return found == known.end() ? nullptr : &*found;
}

std::string losses_text(const CrashReport& report) {
  std::vector<LastStep> known;
  for (const LastStep& step : report.last_steps) {
    if (step.knows_loss) known.push_back(step);
  }
  if (known.empty()) return "";
  constexpr size_t shown = 5;
  std::string text;
  for (size_t i = known.size() - std::min(known.size(), shown); i < known.size(); ++i) {
    text += str(text.empty() ? "" : ", ", known[i].loss, " in step ", known[i].step);
  }
  if (const LastStep* step = first_without_number(known)) {
    text += str("; not a finite number since step ", step->step);
  }
  return text;
}

std::string memory_text(const std::vector<MemoryPoint>& memory) {
  if (memory.empty()) return "";
  const auto most = std::max_element(
      memory.begin(), memory.end(),
      [](const auto& a, const auto& b) { return a.process_bytes < b.process_bytes; });
  const MemoryPoint &first = memory.front(), &last = memory.back();
  std::string text =
      str(bytes_text(last.process_bytes), " of the process, ", bytes_text(most->process_bytes),
          " at most, ", bytes_text(last.device_bytes), " of the fullest core");
  if (last.host.limit > 0) {
    text += str("; ", bytes_text(last.host.left), " of ", bytes_text(last.host.limit),
                " were left on the host");
  }
  const int64_t grown = last.process_bytes - first.process_bytes;
  if (grown > first.process_bytes / 2 && last.time > first.time) {
    text += str("; it grew by ", bytes_text(grown), " in ", time_text(last.time - first.time));
  }
  return text;
}

std::string stack_text(const ReportedThread& thread, FrameNames& names) {
  std::string text = str("  thread ", thread.name, thread.frames.empty() ? ": no answer\n" : "\n");
  for (size_t i = 0; i < thread.frames.size(); ++i) {
    const bool sure = i < thread.sure_frames;
    text += str(sure ? "    " : "    perhaps ", names.text(thread.frames[i]), "\n");
  }
  return text;
}

std::string device_text(const CrashReport& report) {
  const std::string device(trim(report.device));
  const std::string cores = report.cores > 0 ? str(report.cores, " cores") : "";
  return str(device, device.empty() || cores.empty() ? "" : ", ", cores);
}

// The command that turns the program's own frames of the first thread into lines.
std::string names_command(const CrashReport& report) {
  if (report.stacks.empty()) return "";
  std::string path, offsets;
  for (const uint64_t frame : report.stacks.front().frames) {
    const FramePlace place = place_of_frame(report, frame);
    const std::string name = place.path.substr(place.path.rfind('/') + 1);
    if (place.path.empty() || name.compare(0, report.program.size(), report.program) != 0) continue;
    path = place.path;
    std::array<char, 24> offset{};
    snprintf(offset.data(), offset.size(), " 0x%llx",
             static_cast<unsigned long long>(place.offset));
    offsets += offset.data();
  }
  return path.empty() ? "" : str("  lines: addr2line -Cfpie ", path, offsets, "\n");
}

}  // namespace

std::string explain(const CrashReport& report, bool alive) {
  std::string text = str(report.program, ", process ", report.process, ", run '", report.run,
                         "', at ", clock_text(report.time), "\n");
  add_row(text, "damaged", report.missing.empty() ? "" : str("the file lacks ", report.missing));
  add_row(text, "cause", what_happened(report, alive));
  add_row(text, "doing", place_text(report));
  add_row(text, "progress", progress_text(report));
  add_row(text, "shapes", report.shapes);
  add_row(text, "losses", losses_text(report));
  add_row(text, "memory", memory_text(report.memory));
  add_row(text, "device", device_text(report));
  add_row(text, "versions", report.versions);
  add_row(text, "advice", what_to_do(report, alive));
  if (!report.events.empty()) text += "last events\n";
  for (const std::string& event : report.events) text += str("  ", event, "\n");
  if (!report.stacks.empty()) {
    text += str("stacks, of ", report.stacks.size(), " of ", report.threads, " threads\n");
  }
  FrameNames names(report);
  for (const ReportedThread& thread : report.stacks) text += stack_text(thread, names);
  if (!names.note().empty()) text += str("  ", names.note(), "\n");
  return text + names_command(report);
}

}  // namespace monitor
}  // namespace systolic::inline v0
