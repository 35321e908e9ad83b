// The loop of evaluate, and of fit's validation. Internal to train.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "systolic/data/dataset.h"
#include "systolic/train/loops/callback_list.h"
#include "systolic/train/options/evaluation.h"
#include "systolic/train/options/fit_options.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// `model` is a handle of `state`, for callbacks.
Evaluation run_evaluate(const Model& model, const std::shared_ptr<ModelState>& state,
                        const data::Dataset& dataset, const EvaluateOptions& options,
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
