// Whether a run is well, in a few words.
#pragma once

#include <string>

#include "systolic/monitor/run_status.h"
#include "systolic/monitor/sampler/process_start.h"

namespace systolic::inline v0 {
namespace monitor {

enum class Health { well, over, doubtful, bad };

struct Condition {
  Health health = Health::well;
  std::string text;  // "training", "no step for 42 s, where one takes 0.10 s: ..."
};

// `process`: the run's. `now`: seconds since 1970.
Condition condition_of(const RunStatus& status, ProcessState process, double now);

}  // namespace monitor
}  // namespace systolic::inline v0
