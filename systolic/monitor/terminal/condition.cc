#include "systolic/monitor/terminal/condition.h"

#include <algorithm>

#include "systolic/base/text.h"
#include "systolic/monitor/terminal/numbers.h"

namespace systolic::inline v0 {
namespace monitor {
namespace {

constexpr double silent_seconds = 5;  // the sampler writes every second
constexpr double slow_seconds = 30, slow_steps = 20;

}  // namespace

Condition condition_of(const RunStatus& status, ProcessState process, double now) {
  const double silence = now - status.time;
  if (status.state == RunState::failed) {
    return {Health::bad, str("failed: ", status.failure.view())};
  }
  if (status.is_over()) return {Health::over, std::string(state_name(status.state))};
  if (process == ProcessState::gone) {
    return {Health::bad, str("crashed or was killed: process ", status.process,
                             " is gone and its run has not ended")};
  }
  if (process == ProcessState::stopped) {
    return {Health::doubtful, str("stopped: kill -CONT ", status.process, " has it go on")};
  }
  if (silence > silent_seconds) {
    return {Health::doubtful, str("silent for ", time_text(silence),
                                  ": the process is starved, or stopped elsewhere")};
  }
  const double since_step = now - std::max(status.last_step_time, status.begin_time);
  const double usual = status.step_milliseconds / 1000;
  if (since_step > std::max(slow_seconds, slow_steps * usual)) {
    return {Health::doubtful, str("no step for ", time_text(since_step), ", where one took ",
                                  time_text(usual), ": it waits for input, compiles, or hangs")};
  }
  return {Health::well, std::string(state_name(status.state))};
}

}  // namespace monitor
}  // namespace systolic::inline v0
