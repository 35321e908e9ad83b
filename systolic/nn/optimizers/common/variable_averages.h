// What follows an update of variables: their averages over the steps (use_ema) and constraints.
// Internal to nn.
#pragma once

#include <vector>

#include "systolic/nn/optimizers/optimizer_state.h"

namespace systolic::inline v0 {

// A momentum outside of [0, 1] and an ema_overwrite_frequency below 1 are an InvalidArgument.
void check_average(const OptimizerRule& rule, SourceLocation location);

// Adds the variables' new values to their averages, and in each call that belongs to an
// ema_overwrite_frequency-th update gives them the averages. Before the call is counted.
void update_averages(OptimizerState& state, const std::vector<Variable>& variables);

// Puts each variable that has a constraint through it.
void constrain(const std::vector<Variable>& variables);

}  // namespace systolic::inline v0
