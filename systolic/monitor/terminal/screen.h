// A run as text: a screen of a terminal, or a line where there is none.
#pragma once

#include <string>
#include <vector>

#include "systolic/monitor/run_status.h"
#include "systolic/monitor/sampler/process_start.h"

namespace systolic::inline v0 {
namespace monitor {

struct ScreenOptions {
  int columns = 80, rows = 24;  // at least 1; what does not fit is left out, the least first
  bool color = false;
  ProcessState process = ProcessState::there;  // of the run
  double now = 0;                              // seconds since 1970
};

// At most options.rows lines of at most options.columns columns each.
std::vector<std::string> screen(const RunStatus& status, const ScreenOptions& options);

// "13:04:05 process 4711 'mnist' training: epoch 2/5, step 420, 10.2 steps/s, ..."
std::string status_line(const RunStatus& status, ProcessState process, double now);

}  // namespace monitor
}  // namespace systolic::inline v0
