// Who asks where the data of a fit stands, so that its run can be taken up. Internal to train.
#pragma once

#include <vector>

#include "systolic/train/options/callback.h"

namespace systolic::inline v0 {

enum class StateUse {
  none,
  of_process_0,     // what is told of steps in process 0 alone asks for all processes
  of_each_process,  // each keeps its own
};

inline StateUse state_use_of(const std::vector<CallbackPtr>& callbacks) {
  StateUse use = StateUse::none;
  for (const CallbackPtr& callback : callbacks) {
    if (!callback || !callback->wants_input_state()) continue;
    if (callback->only_writes()) return StateUse::of_process_0;
    use = StateUse::of_each_process;
  }
  return use;
}

}  // namespace systolic::inline v0
