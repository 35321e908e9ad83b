// What a core's counters say of the last seconds. docs/monitor.md has the formulas.
#pragma once

#include <deque>
#include <vector>

#include "systolic/monitor/run_status.h"
#include "systolic/runtime/client.h"

namespace systolic::inline v0 {
namespace monitor {

// Fills in the percentages of `status` and its totals, by two readings of one core and the most
// floating-point operations that it can do a second. Where no time has passed they stay unknown; of
// a core that has not computed, what its matrix unit did in its busy time is unknown, too.
void set_core_rates(CoreStatus& status, const runtime::CoreCounters& before,
                    const runtime::CoreCounters& now, double peak_flops);

// The readings of all cores during the last seconds.
class CoreReadings {
 public:
  // The span that rates are of: `readings` intervals, at most.
  explicit CoreReadings(size_t readings = 10) : most_(readings) {}

  void add(std::vector<runtime::CoreCounters> counters);
  // Before the first reading, all unknown.
  void set_rates(std::span<CoreStatus> cores, double peak_flops) const;

 private:
  size_t most_;
  std::deque<std::vector<runtime::CoreCounters>> readings_;  // oldest first
};

}  // namespace monitor
}  // namespace systolic::inline v0
