// Asks a process of this user's, in which a run is or was, for a profile of what it does now.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "systolic/monitor/profile/profile.h"
#include "systolic/monitor/shared_memory/status_folder.h"

namespace systolic::inline v0 {
namespace monitor {

// Waits `seconds`, above 0 and at most 600. NotFound where the process does not listen; Unavailable
// where it ends or says nothing for a minute; FailedPrecondition for what it refuses, as while
// another profile is recorded; DataLoss for an answer that cannot be read.
Profile ask_for_profile(int64_t process, double seconds,
                        const std::string& folder = default_status_folder());

}  // namespace monitor
}  // namespace systolic::inline v0
