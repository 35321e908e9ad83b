// A profile in words: `systolic profile FILE`.
#pragma once

#include <string>
#include <vector>

#include "systolic/monitor/profile/profile.h"

namespace systolic::inline v0 {
namespace monitor {

// What the time went to, and the ten layers and ops that cost most, with their share of the ops'
// time, flops and bytes of a step, what they reach of it, and how far that is from the roofline.
std::vector<std::string> profile_text(const Profile& profile);

}  // namespace monitor
}  // namespace systolic::inline v0
