// Shows the runs of this process to whoever looks: `systolic monitor`, a page, Prometheus.
//
// docs/monitor.md says what the numbers mean.
#pragma once

#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace monitor {

// Runs that begin from now on can be watched, those of fit and of loops of one's own; what their
// cores do is read from `client`, of which nothing is kept alive. Called by runtime::open_client;
// the last call counts. SYSTOLIC_MONITOR=off in the environment: nothing is shown, ever.
void watch_runs(const runtime::ClientPtr& client);

}  // namespace monitor
}  // namespace systolic::inline v0
