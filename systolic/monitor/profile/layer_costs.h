// Where the device's time went, by layer and by op.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systolic/monitor/profile/profile.h"

namespace systolic::inline v0 {
namespace monitor {

struct Cost {
  std::string layer = {}, op = {};  // "mnist/dense"; "": what belongs to none, or to all
  std::string file = {};
  int line = 0;
  int64_t runs = 0;
  double seconds = 0;
  double flops = 0, bytes = 0;  // of all runs
  // What it would take on the device's cores at their peaks: the larger one of flops by the peak of
  // its matrix unit and bytes by that of its memory, op by op. 0: the peaks are not known.
  double roofline_seconds = 0;
  double compute_seconds = 0, memory_seconds = 0;  // the two
  double longest_seconds = 0;                      // of the op that it is named after
  // Time of all threads that take part, without what they wait for each other.
  double thread_seconds = 0;
};

// By layer, the costliest first. The time of an op is that from its begin to its end on the thread
// that runs the program, less that of ops within it; where several ops run as one, part by part,
// each has the share of it that its parts have of all parts' time.
std::vector<Cost> layer_costs(const Profile& profile);
// By op and line.
std::vector<Cost> op_costs(const Profile& profile);

// What the time of the recording was spent with, in seconds.
struct TimeUse {
  double total = 0;
  double programs = 0;           // the device runs one; parts of two programs at once count once
  double waits_for_input = 0;    // of the threads that run steps
  double waits_for_threads = 0;  // in programs: the slowest thread is not ready
  double compute_threads = 0;    // of what others do of a program: of all of them
  int64_t steps = 0;
};
TimeUse time_use(const Profile& profile);

}  // namespace monitor
}  // namespace systolic::inline v0
