// One step on one batch, on this thread. Internal to train.
#pragma once

#include <string>
#include <vector>

#include "systolic/train/loops/model_feed.h"
#include "systolic/train/options/fit_options.h"

namespace systolic::inline v0 {

// `what` was called, and trains or evaluates. Gives the logs of that batch.
Logs run_on_batch(ModelState& model, StepKind kind, const std::string& what, const Example& batch,
                  const OnBatchOptions& options, SourceLocation location);

// The outputs for the batch's rows.
std::vector<Literal> run_predict_on_batch(ModelState& model, const Example& batch,
                                          SourceLocation location);

}  // namespace systolic::inline v0
