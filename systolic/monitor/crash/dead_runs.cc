#include "systolic/monitor/crash/dead_runs.h"

#include <fcntl.h>
#include <unistd.h>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/monitor/crash/crash_report.h"
#include "systolic/monitor/crash/write_record.h"
#include "systolic/monitor/shared_memory/status_reader.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

// As write_record() writes them: of two lines of a kind the later one counts.
std::string lines_of(const RunStatus& status, const CrashReport& report) {
  std::string text =
      str("time ", fixed(status.time, 3), "\ndevice ", status.platform.view(), " ",
          status.device_kind.view(), "\ncores ", status.all_cores, "\nprogress epoch ",
          status.epoch, " of ", status.epochs, " steps ", status.steps, " samples ", status.samples,
          " batch ", report.batch_size, " evaluates ", static_cast<int>(report.evaluates), "\n");
  const int64_t known = report.last_steps.empty() ? -1 : report.last_steps.back().step;
  if (status.loss_step > known) {
    text += str("step ", status.loss_step, " at ", fixed(status.last_step_time, 3), " ms ",
                status.step_milliseconds, " samples ", status.samples, " loss ", status.loss, "\n");
  }
  return str(text, crash_file_end, "\n");
}

void append_to(const std::string& path, const std::string& text) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
  const ssize_t written = write(file.number(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return;
  raise<Unavailable>({.what = str("cannot write '", path, "'")});
}

// True where nothing is lost when the status goes.
bool is_kept(const RunStatus& status, const std::string& crashes) {
  const std::string path = crash_file_of(status.process, crashes);
  if (path.empty()) return false;
  const CrashReport report = read_crash_file(path);
  if (report.process_start != status.process_start) return false;
  const bool says_more = report.cause == CrashCause::unknown && report.missing.empty() &&
                         !status.is_over() && status.time > report.time;
  if (says_more) append_to(path, lines_of(status, report));
  return true;
}

}  // namespace

std::string crash_file_of(int64_t process, const std::string& crashes) {
  if (crashes.empty()) return "";
  for (const std::string& path : crash_files(crashes)) {
    if (path.find(str("_", process, "_")) == path.npos) continue;
    try {
      if (read_crash_file(path).process == process) return path;
    } catch (const Error&) {  // not one of ours
    }
  }
  return "";
}

void keep_what_dead_runs_said(const std::string& statuses, const std::string& crashes) {
  if (crashes.empty()) return;
  try {
    const Descriptor folder = open_status_folder(statuses, false);
    for (const int64_t process : processes_in(statuses)) {
      try {
        const StatusReader reader(process, statuses);
        const auto status = reader.read();
        const bool gone = status != nullptr && status->process == process &&
                          reader.process_state(*status) == ProcessState::gone;
        if (gone && is_kept(*status, crashes)) {
          unlinkat(folder.number(), str(process).c_str(), 0);
        }
      } catch (const Error&) {  // as of another version
      }
    }
  } catch (const Error&) {  // no folder, or not ours
  }
}

}  // namespace monitor
}  // namespace systolic::inline v0
