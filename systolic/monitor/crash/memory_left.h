// How much memory this process may still take, for the file of a run that is killed when there is
// none.
#pragma once

#include <cstdint>
#include <string>

namespace systolic::inline v0 {
namespace monitor {

struct MemoryLeft {
  int64_t left = 0, limit = 0;  // bytes; both 0: not known
};

// The machine's (MemAvailable of /proc/meminfo), or that of the process's control group (version 2)
// or of one around it, where that is less. `root`: in front of /proc and /sys.
MemoryLeft memory_left(const std::string& root = "");

}  // namespace monitor
}  // namespace systolic::inline v0
