// Updates by the mean of the gradients of several batches (gradient_accumulation_steps). Internal
// to nn.
#pragma once

#include <functional>
#include <vector>

#include "systolic/nn/optimizers/optimizer_state.h"

namespace systolic::inline v0 {

// A number of steps below 1, or beyond i32, is an InvalidArgument; so are several with lazy_rows,
// for the sum of several batches' gradients is none of a few rows.
void check_accumulation(const OptimizerRule& rule, SourceLocation location);

// Updates before this call of apply_gradients: i32 [].
Tensor updates_done(const OptimizerState& state);

// One count serves all variables, so that each call must have the same ones, else an
// InvalidArgument.
void check_same_variables(OptimizerState& state, const std::vector<Variable>& variables,
                          SourceLocation location);

// Adds the gradients of this batch to the sums beside the variables; with the last batch of those
// that belong together calls `update` with the means, and the sums begin anew. `update` is traced
// inside of a branch. check_same_variables is called first.
void update_with_mean(OptimizerState& state, const std::vector<Tensor>& gradients,
                      const std::vector<Variable>& variables,
                      const std::function<void(const std::vector<Tensor>&)>& update,
                      SourceLocation location);

}  // namespace systolic::inline v0
