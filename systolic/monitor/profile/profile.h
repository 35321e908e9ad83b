// What a program did for a while: which op of which layer took how long on which core and thread,
// what waited for what, and the input pipeline beside it. docs/profile.md says how to get one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/base/spans/recording.h"

namespace systolic::inline v0 {
namespace monitor {

// Where it was recorded.
struct ProfiledProcess {
  std::string host = {}, program = {};
  int64_t process = 0;
  std::string platform = {}, device_kind = {};  // "software_tpu", "v3-8"; "": no device is open
  int cores = 0;
  // By core and second: what a layer's time is measured against. 0: not known.
  double peak_flops = 0, peak_bytes = 0;
};

struct Profile : ProfiledProcess {
  spans::Recorded recorded = {};

  const spans::Work& work(spans::WorkId id) const {
    return recorded.works[static_cast<size_t>(id)];
  }
};

// A span of one thread, with the one around it.
struct NestedSpan {
  const spans::RecordedSpan* span = nullptr;
  int64_t parent = -1;  // index of the innermost around it; -1: none
  int64_t end_ns() const { return span->end_ns; }
};
// In the order in which they began, those around others first.
std::vector<NestedSpan> nested_spans(const spans::RecordedThread& thread);

// What the device did, by core: spans of steps, programs and ops, the ops without their parts on
// other threads. Cores that run a program together have one entry.
struct DeviceCore {
  int64_t core = -1;                                                     // -1: all together
  std::vector<spans::RecordedSpan> steps = {}, programs = {}, ops = {};  // in order
};
std::vector<DeviceCore> device_cores(const Profile& profile);

// "cores 0 to 7, together", "core 3"
std::string core_name(const Profile& profile, int64_t core);

}  // namespace monitor
}  // namespace systolic::inline v0
