#include "backends/cpu/plan/plan.h"

#include "backends/cpu/plan/profile.h"
#include "backends/cpu/plan/running_step.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {

void run_steps(const std::vector<Step>& steps, const Frame& frame) {
  Profile* profile = Profile::active();
  const Step* step = steps.data();
  const Step* const end = step + steps.size();
  try {
    for (; step != end; ++step) {
      running_step.store(step, std::memory_order_relaxed);
      profile ? profile->run(*step, frame) : step->run(frame);
    }
  } catch (...) {
    RunState& state = frame.state();
    if (state.failed == nullptr) state.failed = step;
    state.failed_outermost = step;
    throw;
  }
}

std::string Plan::text() const {
  std::string lines = str(steps.size(), " steps, arena ", bytes_text(arena_bytes), ", ",
                          constants.size(), " constants, ", fixed(flops * 1e-6, 3), " MFLOP\n");
  for (const Step& step : steps) lines += step.text + '\n';
  return lines;
}

}  // namespace cpu
}  // namespace systolic::inline v0
