// Writes the status of this process where `systolic monitor` finds it.
#pragma once

#include <string>

#include "systolic/monitor/run_status.h"
#include "systolic/monitor/shared_memory/status_folder.h"
#include "systolic/monitor/shared_memory/status_layout.h"

namespace systolic::inline v0 {
namespace monitor {

// The file is written with pwrite and its memory reserved before: no reader, and nobody who cuts
// it, can hurt the writer. It is removed in the end; one that is left says that the process did not
// come to its end.
class StatusWriter {
 public:
  // Errors as open_status_folder's; Unavailable where there is no room. Removes what processes that
  // are gone left there more than an hour ago.
  explicit StatusWriter(const std::string& folder = default_status_folder());
  ~StatusWriter();
  StatusWriter(const StatusWriter&) = delete;
  StatusWriter& operator=(const StatusWriter&) = delete;

  // Unavailable where that fails.
  void write(const RunStatus& status);

 private:
  void write_at(int64_t offset, const void* data, size_t bytes);

  Descriptor folder_, file_;
  std::string name_;
  StatusHeader header_;
};

}  // namespace monitor
}  // namespace systolic::inline v0
