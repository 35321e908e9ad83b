// What a model asks of its batches, found by looking at it: which labels its losses take, which
// integers its layers look up, whether rows that only pad can be left out. Internal to train.
#pragma once

#include <vector>

#include "systolic/train/batches/step_feed_options.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// Builds the model for inputs of these types, if that has not been done, and gives its rules. Its
// layers are called on a trace that is thrown away. `model` must outlive the rules.
StepRules build_for_rules(ModelState& model, StepKind kind, const std::vector<ir::Type>& inputs);

}  // namespace systolic::inline v0
