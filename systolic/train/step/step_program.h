// The programs that fit, evaluate and predict run: one step over the global batch, traced once for
// each input signature. Internal to train.
#pragma once

#include <memory>
#include <vector>

#include "systolic/runtime/executable.h"
#include "systolic/train/batches/step_input.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// The step for inputs like `input`. Parameters are the input's buffers, then the mask where there
// is one, then, with several steps in an execution, the count of real ones. Null where compile was
// told to run eagerly. Every program after the first of its kind is made with a line that names
// what changed and `location`; for other shapes than before, strict_shapes makes it an error.
std::shared_ptr<Program> step_program(ModelState& model, StepKind kind, const StepInput& input,
                                      SourceLocation location);

// Whether layers were frozen, or no longer, since the training steps that there are were made:
// these change what they did then.
bool trains_what_is_trainable(ModelState& model);

// Compiles the program, as its first run would; gives the milliseconds that it took.
double compile_step(Program& program, StepKind kind, SourceLocation location);

// The module of the train step for inputs like `input`, as it would be compiled. Nothing is kept.
ir::Module training_module(ModelState& model, const StepInput& input);

// Runs the program, told whether it loops over steps; without one, the same step op by op. Gives
// for train and evaluate the losses of the steps, [steps]; for predict the outputs.
std::vector<runtime::BufferPtr> run_step(ModelState& model, StepKind kind, const StepInput& input,
                                         const std::shared_ptr<Program>& program,
                                         runtime::ExecuteOptions options);

}  // namespace systolic::inline v0
