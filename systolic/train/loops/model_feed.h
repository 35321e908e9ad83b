// The batches that a model takes: its feed, with what the model's inputs, outputs and losses ask of
// them. Internal to train.
#pragma once

#include <memory>

#include "systolic/data/dataset.h"
#include "systolic/train/batches/step_feed.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// Takes the options that the model does not say: it fills in inputs, labels, cores, steps in an
// execution and how it is built. A network without an Input layer learns its shapes from the first
// batch.
std::unique_ptr<StepFeed> open_feed(ModelState& model, StepKind kind, const data::Dataset& dataset,
                                    StepFeedOptions options);

// One batch, read on this thread, for one step in an execution. It is padded only where its rows do
// not divide over the cores.
StepInput read_batch(ModelState& model, StepKind kind, const Example& batch,
                     StepFeedOptions options);

}  // namespace systolic::inline v0
