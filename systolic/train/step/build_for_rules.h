// What a model asks of its batches: which labels its losses take, which integers its layers look
// up, whether rows that only pad can be left out. Layers, losses and metrics declare it; what is
// the user's and declares nothing is called once (step/probe.h). Internal to train.
#pragma once

#include <vector>

#include "systolic/train/batches/step_feed_options.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// Builds the model for inputs of these types, if that has not been done, and gives its rules.
// `model` must outlive the rules.
StepRules build_for_rules(ModelState& model, StepKind kind, const std::vector<ir::Type>& inputs);

}  // namespace systolic::inline v0
