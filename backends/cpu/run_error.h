// What a run that failed says: which step of training, which op, which line of the user.
#pragma once

#include <string_view>

#include "backends/cpu/plan/plan.h"
#include "systolic/runtime/executable.h"

namespace systolic::inline v0 {
namespace cpu {

// Inside a catch block: throws what was caught again as an Error that starts like
// "step 17 of train_step, dot [32,784] x [784,128] f32 in mnist/dense: ..." and names the op's
// line. Where no step of the plan was to blame, it names the line that asked for the run. A round
// of a loop (from 0) is named too, or is the step where options.loops_over_steps.
[[noreturn]] void rethrow_located(std::string_view program, const RunState& state,
                                  const runtime::ExecuteOptions& options);

}  // namespace cpu
}  // namespace systolic::inline v0
