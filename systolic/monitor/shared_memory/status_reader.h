// Reads the status of a process of this user's, whatever lies in its file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "systolic/monitor/run_status.h"
#include "systolic/monitor/sampler/process_start.h"
#include "systolic/monitor/shared_memory/status_folder.h"

namespace systolic::inline v0 {
namespace monitor {

class StatusReader {
 public:
  // NotFound where no run of the process says how it is, now or before it was killed; errors of
  // open_status_folder; DataLoss for what is not a status; FailedPrecondition for that of another
  // version of the library.
  explicit StatusReader(int64_t process, const std::string& folder = default_status_folder());

  // The last status, made safe; nothing where it is being written all the time, or none was yet.
  std::unique_ptr<RunStatus> read() const;
  // Why read() gave nothing: "its file is cut: 100 of 84,312 bytes are left".
  std::string why_nothing() const;
  // That of the process that wrote it.
  ProcessState process_state(const RunStatus& status) const;
  // Where none was written yet: whether a process of this number is there.
  bool has_process() const;

 private:
  Descriptor file_;
  int64_t process_;
};

// The process whose run shall be shown: that of the run that wrote last and is there, else the last
// that is gone. Files that another process of the same number left, and those that cannot be read,
// are none. NotFound where there is none; where all cannot be read, what is wrong with the newest.
int64_t newest_process(const std::string& folder = default_status_folder());

}  // namespace monitor
}  // namespace systolic::inline v0
