// The loop behind fit, one for every backend. Internal to train.
#pragma once

#include "systolic/data/dataset.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

History run_fit(Model& model, const data::Dataset& dataset, const FitOptions& options,
                SourceLocation location);

}  // namespace systolic::inline v0
