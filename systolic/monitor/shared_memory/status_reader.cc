#include "systolic/monitor/shared_memory/status_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/base/text.h"
#include "systolic/monitor/sampler/process_start.h"
#include "systolic/monitor/shared_memory/status_layout.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

template <class Value>
bool read_at(int file, off_t offset, Value& value) {
  return pread(file, &value, sizeof value, offset) == static_cast<ssize_t>(sizeof value);
}

constexpr const char* no_run_hint =
    "start a training first; programs run with SYSTOLIC_MONITOR=off cannot be watched";

}  // namespace

StatusReader::StatusReader(int64_t process, const std::string& folder) : process_(process) {
  const Descriptor opened = open_status_folder(folder, false);
  file_ = Descriptor(openat(opened.number(), str(process).c_str(),
                            O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file_.is_open()) {
    raise<NotFound>(
        {.what = str("process ", process, " has no run that can be watched"), .hint = no_run_hint});
  }
  struct stat found {};
  StatusHeader header;
  const StatusHeader wanted;
  const bool ours = fstat(file_.number(), &found) == 0 && S_ISREG(found.st_mode) &&
                    found.st_uid == getuid() && read_at(file_.number(), 0, header) &&
                    (header.magic == wanted.magic || header.sequence == 0);
  if (!ours) raise<DataLoss>({.what = str("the file of process ", process, " is no status")});
  if (header.magic != wanted.magic) return;  // nothing was written yet
  if (header.version != wanted.version || header.bytes != wanted.bytes) {
    raise<FailedPrecondition>(
        {.what = str("the run of process ", process, " was built with another version of Systolic"),
         .hint = "use the `systolic` that was built with it"});
  }
}

std::unique_ptr<RunStatus> StatusReader::read() const {
  constexpr int attempts = 20;
  auto status = std::make_unique<RunStatus>();
  StatusHeader before, after;
  for (int i = 0; i < attempts; ++i) {
    const bool whole = read_at(file_.number(), 0, before) &&
                       read_at(file_.number(), sizeof(StatusHeader), *status) &&
                       read_at(file_.number(), 0, after);
    if (!whole || before.sequence == 0) return nullptr;  // cut, or not written yet
    make_safe(*status);
    if (before.sequence == after.sequence && before.sequence % 2 == 0) return status;
    // One that was killed while it wrote leaves what it has written.
    if (before.sequence == after.sequence && !is_alive(*status)) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return nullptr;
}

bool StatusReader::is_alive(const RunStatus& status) const {
  const int64_t start = process_start(process_);
  return start >= 0 && start == status.process_start;
}

int64_t newest_process(const std::string& folder) {
  std::vector<int64_t> processes;
  try {
    processes = processes_in(folder);
  } catch (const NotFound&) {  // nothing has run yet
  }
  for (const int64_t process : processes) {
    if (process_start(process) >= 0) return process;
  }
  if (!processes.empty()) return processes.front();
  raise<NotFound>(
      {.what = "no run of this user can be watched on this machine", .hint = no_run_hint});
}

}  // namespace monitor
}  // namespace systolic::inline v0
