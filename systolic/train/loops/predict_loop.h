// The loop behind predict. Internal to train.
#pragma once

#include <vector>

#include "systolic/data/dataset.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// One array for each output.
std::vector<Literal> run_predict(const Model& model, const data::Dataset& dataset,
                                 const PredictOptions& options, SourceLocation location);

}  // namespace systolic::inline v0
