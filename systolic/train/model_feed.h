// The batches that a model takes: its feed, with what the model's inputs, outputs and losses ask of
// them. Internal to train.
#pragma once

#include <map>
#include <memory>

#include "systolic/train/model_state.h"

namespace systolic::inline v0 {

struct FeedOptions {
  std::string what;  // "fit"
  SourceLocation location = {};
  int64_t steps_per_epoch = -1;
  std::map<int64_t, double> class_weight = {};
};

// Builds a network without an Input layer, which learns its shapes from the first batch.
std::unique_ptr<StepFeed> open_feed(ModelState& model, StepKind kind, const data::Dataset& dataset,
                                    FeedOptions options);

}  // namespace systolic::inline v0
