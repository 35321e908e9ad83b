// The loop of predict. Internal to train.
#pragma once

#include <vector>

#include "systolic/data/dataset.h"
#include "systolic/train/batches/step_input.h"
#include "systolic/train/options/fit_options.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// One array for each output. `model` is a handle of `state`, for callbacks.
std::vector<Literal> run_predict(const Model& model, ModelState& state,
                                 const data::Dataset& dataset, const PredictOptions& options,
                                 SourceLocation location);

// What a predict step gave, without the rows that only pad.
Literal real_rows(const Literal& output, const StepInput& input, SourceLocation location);

}  // namespace systolic::inline v0
