// The loop behind evaluate, and behind fit's validation. Internal to train.
#pragma once

#include "systolic/data/dataset.h"
#include "systolic/train/callbacks/callback_list.h"
#include "systolic/train/model_state.h"

namespace systolic::inline v0 {

Evaluation run_evaluate(Model& model, const data::Dataset& dataset, const EvaluateOptions& options,
                        SourceLocation location);
// Under callbacks that are attached: fit's, for its validation.
Evaluation evaluate_with(const CallbackList& callbacks, ModelState& state,
                         const data::Dataset& dataset, const EvaluateOptions& options,
                         SourceLocation location);

}  // namespace systolic::inline v0
