// The part of a step that moves the variables: clipping, weight decay and the update rule of each.
// Internal to nn.
#pragma once

#include <vector>

#include "systolic/nn/optimizers/optimizer_state.h"
#include "systolic/nn/optimizers/optimizer_step.h"

namespace systolic::inline v0 {

// One gradient for each variable, of its shape and type, summed over the cores.
void update_variables(OptimizerState& state, OptimizerStep& step,
                      const std::vector<Tensor>& gradients, const std::vector<Variable>& variables,
                      SourceLocation location);

}  // namespace systolic::inline v0
