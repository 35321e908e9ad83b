#include "backends/cpu/plan/plan.h"

#include "backends/cpu/plan/profile.h"
#include "systolic/base/text.h"

namespace systolic::inline v0 {
namespace cpu {

void run_steps(const std::vector<Step>& steps, const Frame& frame) {
  if (Profile* profile = Profile::active()) {
    for (const Step& step : steps) profile->run(step, frame);
    return;
  }
  for (const Step& step : steps) step.run(frame);
}

std::string Plan::text() const {
  std::string lines = str(steps.size(), " steps, arena ", bytes_text(arena_bytes), ", ",
                          constants.size(), " constants, ", fixed(flops * 1e-6, 3), " MFLOP\n");
  for (const Step& step : steps) lines += step.text + '\n';
  return lines;
}

}  // namespace cpu
}  // namespace systolic::inline v0
