// The one loop behind fit, evaluate and predict, for every backend. Internal to train.
#pragma once

#include "systolic/data/dataset.h"
#include "systolic/train/callbacks/callback_list.h"
#include "systolic/train/model_state.h"

namespace systolic::inline v0 {

History run_fit(Model& model, const data::Dataset& dataset, const FitOptions& options,
                SourceLocation location);
Evaluation run_evaluate(Model& model, const data::Dataset& dataset, const EvaluateOptions& options,
                        SourceLocation location);
// Under callbacks that are attached: fit's, for its validation.
Evaluation evaluate_with(const CallbackList& callbacks, ModelState& state,
                         const data::Dataset& dataset, const EvaluateOptions& options,
                         SourceLocation location);
// One array for each output.
std::vector<Literal> run_predict(const Model& model, const data::Dataset& dataset,
                                 const PredictOptions& options, SourceLocation location);

// The loss and metrics as they stand.
Logs read_logs(ModelState& model);
void reset_logs(ModelState& model);

}  // namespace systolic::inline v0
