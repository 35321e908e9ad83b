// How a status lies in its file: a header, then the RunStatus. Internal to shared_memory.
//
// The writer makes the sequence odd, writes the status, and makes it even. A reader that finds the
// same even number before and after has read one status, not parts of two.
#pragma once

#include <array>
#include <cstdint>

#include "systolic/monitor/run_status.h"

namespace systolic::inline v0 {
namespace monitor {

struct StatusHeader {
  std::array<char, 8> magic = {'S', 'Y', 'S', 'T', 'O', 'L', 'M', '1'};
  uint32_t version = 2;  // of RunStatus: counts up whenever a field moves
  uint32_t bytes = sizeof(RunStatus);
  uint64_t sequence = 0;
};

}  // namespace monitor
}  // namespace systolic::inline v0
