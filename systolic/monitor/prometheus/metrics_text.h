// A run in the text format that Prometheus scrapes (version 0.0.4).
#pragma once

#include <string>

#include "systolic/monitor/run_status.h"

namespace systolic::inline v0 {
namespace monitor {

inline constexpr const char* metrics_content_type = "text/plain; version=0.0.4; charset=utf-8";

// Counters end in _total; the others are gauges. What is not known is left out.
//
//   # HELP systolic_mxu_percent Work of the matrix unit over its peak while busy, last 10 s.
//   # TYPE systolic_mxu_percent gauge
//   systolic_mxu_percent{core="0"} 0.125
std::string metrics_text(const RunStatus& status);

}  // namespace monitor
}  // namespace systolic::inline v0
