// The runs of this process and the files that they would leave.
#pragma once

#include "systolic/events/event_sink.h"
#include "systolic/monitor/run_status.h"

namespace systolic::inline v0 {
namespace monitor {

// From now on each run that begins has a file to leave where it dies; SYSTOLIC_CRASH=off in the
// environment: none has. Thread-safe.
void keep_crashes();

// What the sampler saw, once a second.
void note_for_crashes(const RunStatus& status);

}  // namespace monitor
}  // namespace systolic::inline v0
