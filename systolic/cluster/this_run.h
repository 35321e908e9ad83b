// The run that this process is one of.
#pragma once

#include <memory>

#include "systolic/cluster/coordination.h"

namespace systolic::inline v0 {
namespace cluster {

// Joined by the first call, as find_place() says; left when the process ends: in order with exit
// code 0 or after a request to end, when it waits for the others; with another code as a failure,
// which ends them. Null for a process that is alone. SYSTOLIC_CLUSTER_TOKEN is the run's secret,
// SYSTOLIC_JOIN_SECONDS how long the processes wait for each other (300). Errors of join() at each
// call until one succeeds.
std::shared_ptr<Coordination> this_run();

}  // namespace cluster
}  // namespace systolic::inline v0
