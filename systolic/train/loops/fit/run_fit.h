// What Model::fit does. Internal to train.
#pragma once

#include <memory>

#include "systolic/data/dataset.h"
#include "systolic/train/options/fit_options.h"
#include "systolic/train/options/history.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// `model` is a handle of `state`, for callbacks. The fit may be a dry run (plan_fit.h), which does
// not return.
History run_fit(Model& model, const std::shared_ptr<ModelState>& state,
                const data::Dataset& dataset, const FitOptions& options, SourceLocation location);

}  // namespace systolic::inline v0
