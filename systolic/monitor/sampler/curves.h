// The curves of a run, however long it is: when there is no room for more points, each two become
// one, which from then on are twice as far apart.
#pragma once

#include "systolic/monitor/run_status.h"

namespace systolic::inline v0 {
namespace monitor {

// Adds a point of now to status.point_list, unless the last is less than point_seconds old.
void add_point(RunStatus& status);

}  // namespace monitor
}  // namespace systolic::inline v0
