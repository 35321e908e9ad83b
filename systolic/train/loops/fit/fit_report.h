// What fit tells people, as events. Internal to train.
#pragma once

#include <string>

#include "systolic/train/loops/fit/epoch_cursor.h"
#include "systolic/train/loops/fit/fit_call.h"
#include "systolic/train/loops/fit/training_data.h"

namespace systolic::inline v0 {

// Before the first step: weights that will not change, and, unless verbose is 0, what is unwise in
// the batch, of this many rows without padding, and in the pipeline.
void report_before_training(const FitCall& call, const TrainingData& data, int64_t rows);

// fit was given data without a single batch.
[[noreturn]] void raise_no_data(SourceLocation location);
// The data ended in that epoch, counted from 0, before it was done.
void report_data_ended(const FitCall& call, const EpochCursor& cursor, int epoch);

// Something ended the training after the cursor's step, with these logs or none. `begin` is how the
// line begins: "Interrupted by SIGTERM ".
void report_interruption(const std::string& begin, const EpochCursor& cursor, int64_t samples,
                         const Logs& logs);

// There is no epoch to run, as the options of fit stand.
void report_no_epochs(const FitOptions& options);

}  // namespace systolic::inline v0
