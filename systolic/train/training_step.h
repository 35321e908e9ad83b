// The programs that fit, evaluate and predict run: one step over the global batch, traced once for
// each input signature. Internal to train.
#pragma once

#include <memory>

#include "systolic/train/model_state.h"

namespace systolic::inline v0 {

// The step for inputs like `input`: parameters are the input's buffers, then the mask where there
// is one, then, with several steps in an execution, the count of real ones. Results: train and
// evaluate give the losses of the steps, [steps]; predict the outputs.
std::shared_ptr<Program> step_program(ModelState& model, StepKind kind, const StepInput& input);

// The buffers in the order of the program's parameters.
std::vector<runtime::BufferPtr> step_arguments(const StepInput& input);

}  // namespace systolic::inline v0
