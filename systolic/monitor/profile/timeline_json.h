// A short profile for the page of the monitor.
//
//   {"duration": 200000, "lost": 0,
//    "works": [{"name": "dot_general f32[32,128]", "kind": "op", "layer": "mnist/dense", "source":
//    "main.cc:88"}], "tracks": [{"name": "cores 0 to 7, together", "spans": [[10.5, 20.25, 0, 1,
//    12]]}]}
//
// A span is its begin and duration in microseconds, the index of its work, its depth within others
// on the track, and the step's number, or -1.
#pragma once

#include <cstddef>
#include <string>

#include "systolic/monitor/profile/profile.h"

namespace systolic::inline v0 {
namespace monitor {

// A track has the first `most_spans` at most; "lost" counts the others.
std::string timeline_json(const Profile& profile, size_t most_spans = 20'000);

}  // namespace monitor
}  // namespace systolic::inline v0
