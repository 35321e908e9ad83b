// Runs whose processes were killed, and could say nothing.
#pragma once

#include <string>

#include "systolic/monitor/crash/crash_file.h"
#include "systolic/monitor/run_status.h"
#include "systolic/monitor/shared_memory/status_folder.h"

namespace systolic::inline v0 {
namespace monitor {

// What the last status of a process that is gone says more than the file that its run left, which
// is up to ten seconds older, is added to that file; then the status goes from memory. Where the
// run left no file, the status stays: StatusWriter removes it when it is old. What cannot be read
// is left as it is.
void keep_what_dead_runs_said(const std::string& statuses = default_status_folder(),
                              const std::string& crashes = crash_folder());

// The file that a run of this process left: the newest; "" where there is none.
std::string crash_file_of(int64_t process, const std::string& crashes = crash_folder());

}  // namespace monitor
}  // namespace systolic::inline v0
