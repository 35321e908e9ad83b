// The curves of a run, however long it is: when there is no room for more points, each two become
// one, which from then on are twice as far apart.
#pragma once

#include "systolic/events/logs.h"
#include "systolic/monitor/run_status.h"

namespace systolic::inline v0 {
namespace monitor {

// Adds a point of now to status.point_list, unless the last is less than point_seconds old.
void add_point(RunStatus& status);

// Adds what an epoch logged to facts.epoch_point_list. When there is no room for more, every other
// point goes, and from then on each second epoch has one, then each fourth, and so on.
void add_epoch_point(RunFacts& facts, int epoch, const Logs& logs);

}  // namespace monitor
}  // namespace systolic::inline v0
