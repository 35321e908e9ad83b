// A profile as JSON that Perfetto (ui.perfetto.dev) and Chrome's chrome://tracing open.
//
// Source: Google's "Trace Event Format".
#pragma once

#include <iosfwd>

#include "systolic/monitor/profile/profile.h"

namespace systolic::inline v0 {
namespace monitor {

// A track for the device's cores, and one for each thread of the process.
void write_chrome_trace(const Profile& profile, std::ostream& out);

}  // namespace monitor
}  // namespace systolic::inline v0
