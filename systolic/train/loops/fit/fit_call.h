// What fit was called with, for the parts of its loop. Internal to train.
#pragma once

#include <memory>

#include "systolic/data/dataset.h"
#include "systolic/train/options/fit_options.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

struct FitCall {
  Model& model;  // as callbacks get it
  std::shared_ptr<ModelState> state;
  const data::Dataset& dataset;
  const FitOptions& options;
  SourceLocation location;

  // Negative where that is not known.
  int64_t steps_of_an_epoch() const {
    return options.steps_per_epoch > 0 ? options.steps_per_epoch : dataset.cardinality();
  }
};

}  // namespace systolic::inline v0
