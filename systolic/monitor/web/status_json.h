// A run as JSON, as the page reads it: the fields of RunStatus by their names. What is not known is
// null.
#pragma once

#include <string>

#include "systolic/monitor/run_status.h"

namespace systolic::inline v0 {
namespace monitor {

// With all points of the curves, or with the last alone.
std::string status_json(const RunStatus& status, bool all_points);

}  // namespace monitor
}  // namespace systolic::inline v0
