// Why a step is traced and compiled again, for the person who waits. Internal to train.
#pragma once

#include "systolic/train/batches/step_input.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// As programs are called in messages and dumps: "train_step".
const char* step_name(StepKind kind);

// Where the model has programs of this kind already: a line that says what `input` has that the
// nearest of them has not, how many there are, and `location`, fit's caller. It is a warning where
// there is something to be done, and an error under strict_shapes: not of a length that was
// announced, nor where a batch has fewer samples and is padded. Under the model's lock.
void report_retraced_step(const ModelState& model, StepKind kind, const StepInput& input,
                          SourceLocation location);

}  // namespace systolic::inline v0
