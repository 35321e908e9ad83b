#include "systolic/monitor/shared_memory/status_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <exception>
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
  if (fstat(file_.number(), &found) == 0 && S_ISREG(found.st_mode) &&
      found.st_size < static_cast<off_t>(sizeof header)) {
    raise<DataLoss>({.what = str("the status of process ", process, " is gone"),
                     .got = str("a file that is cut to ", found.st_size, " bytes")});
  }
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
    if (before.sequence == after.sequence && process_state(*status) == ProcessState::gone)
      return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return nullptr;
}

std::string StatusReader::why_nothing() const {
  constexpr int64_t whole = sizeof(StatusHeader) + sizeof(RunStatus);
  struct stat found {};
  StatusHeader header;
  if (fstat(file_.number(), &found) == 0 && found.st_size < whole) {
    return str("its file is cut: ", found.st_size, " of ", whole, " bytes are left");
  }
  const bool begun = read_at(file_.number(), 0, header) && header.sequence > 0;
  return begun ? "it is being written all the time" : "it has not written anything yet";
}

ProcessState StatusReader::process_state(const RunStatus& status) const {
  return monitor::process_state(process_, status.process_start);
}

bool StatusReader::has_process() const { return process_start(process_) >= 0; }

namespace {

// Whether the process that wrote the file is there; nothing where it cannot be read.
bool runs(int64_t process, const std::string& folder) {
  const StatusReader reader(process, folder);
  const auto status = reader.read();
  if (status == nullptr) return reader.has_process();
  return reader.process_state(*status) != ProcessState::gone;
}

}  // namespace

int64_t newest_process(const std::string& folder) {
  std::vector<int64_t> processes;
  try {
    processes = processes_in(folder);
  } catch (const NotFound&) {  // nothing has run yet
  }
  int64_t gone = 0;
  std::exception_ptr unreadable;
  for (const int64_t process : processes) {
    try {
      if (runs(process, folder)) return process;
      if (gone == 0) gone = process;
    } catch (const Error&) {
      if (unreadable == nullptr) unreadable = std::current_exception();
    }
  }
  if (gone != 0) return gone;
  if (unreadable != nullptr) std::rethrow_exception(unreadable);
  raise<NotFound>(
      {.what = "no run of this user can be watched on this machine", .hint = no_run_hint});
}

}  // namespace monitor
}  // namespace systolic::inline v0
