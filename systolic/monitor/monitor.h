// Shows the runs of this process to whoever looks: `systolic monitor`, a page, Prometheus.
//
// docs/monitor.md says what the numbers mean.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "systolic/base/source_location.h"
#include "systolic/monitor/run_status.h"
#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace monitor {

// Runs that begin from now on can be watched, those of fit and of loops of one's own; what their
// cores do is read from `client`, of which nothing is kept alive. Called by runtime::open_client;
// the last call counts. SYSTOLIC_MONITOR=off in the environment: nothing is shown, ever. A run that
// dies leaves a file (crash/crash_file.h).
void watch_runs(const runtime::ClientPtr& client);

// Where what the device's own software says of it comes from: asked once a second on a thread of
// the monitor while a run lasts, so it answers soon. What it throws is a warning, once.
void read_device_metrics_by(std::function<std::vector<DeviceMetric>()> read);

// Serves a page at ":8080" (web/address.h) that shows the runs of this process, those that are over
// too, until it ends; "": at what SYSTOLIC_MONITOR says, if anything. Asked again for the same
// address it does nothing more. What is not an address is an InvalidArgument; in SYSTOLIC_MONITOR
// it is a warning, as is a port that is in use, and the run goes on.
void serve(std::string_view address, SourceLocation location = SourceLocation::current());

}  // namespace monitor
}  // namespace systolic::inline v0
