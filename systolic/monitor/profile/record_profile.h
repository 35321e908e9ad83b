// Records a profile of this process.
#pragma once

#include "systolic/monitor/profile/profile.h"
#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace monitor {

// The device whose cores profiles are measured against; nothing of it is kept alive. Thread-safe.
void set_profiled_device(const runtime::ClientPtr& client);

// This process and its device, around what was recorded.
Profile profile_of_this_process(spans::Recorded recorded);

// What the process does in the next seconds, while the caller waits. Errors of spans::Recording.
Profile record_for(double seconds);

}  // namespace monitor
}  // namespace systolic::inline v0
