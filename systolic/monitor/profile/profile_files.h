// Files of a profile, where TensorBoard looks for them.
#pragma once

#include <string>

#include "systolic/monitor/profile/profile.h"

namespace systolic::inline v0 {
namespace monitor {

struct ProfileFiles {
  std::string xplane, trace;
};

// Writes "FOLDER/plugins/profile/RUN/HOST.xplane.pb" (xplane.h) and "HOST.trace.json"
// (chrome_trace.h). RUN is the time, "2026_11_29_20_30_00"; of the processes of one run each but
// the first has its number after HOST. The folder is made. Unavailable where that fails.
ProfileFiles write_profile(const Profile& profile, const std::string& folder);

// The .xplane.pb named, or the newest in a folder. NotFound, and errors of from_xplane().
Profile read_profile(const std::string& path);

}  // namespace monitor
}  // namespace systolic::inline v0
