// The loop behind evaluate, and behind fit's validation. Internal to train.
#pragma once

#include <functional>
#include <optional>

#include "systolic/data/dataset.h"
#include "systolic/train/callbacks/callback_list.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

Evaluation run_evaluate(Model& model, const data::Dataset& dataset, const EvaluateOptions& options,
                        SourceLocation location);
// Finds what is wrong with the data, as far as its first batch and a traced step show.
void try_evaluation(ModelState& state, const data::Dataset& dataset, const EvaluateOptions& options,
                    SourceLocation location);
// Under callbacks that are attached: fit's, for its validation. Nothing where `stops` became true
// before its end: it is asked before each execution.
std::optional<Evaluation> evaluate_with(const CallbackList& callbacks, ModelState& state,
                                        const data::Dataset& dataset,
                                        const EvaluateOptions& options, SourceLocation location,
                                        const std::function<bool()>& stops);

}  // namespace systolic::inline v0
