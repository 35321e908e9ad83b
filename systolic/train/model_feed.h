// The batches that a model takes: its feed, with what the model's inputs, outputs and losses ask of
// them. Internal to train.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "systolic/train/model_state.h"

namespace systolic::inline v0 {

struct FeedOptions {
  std::string what;  // "fit"
  SourceLocation location = {};
  int64_t steps_per_epoch = -1;
  std::map<int64_t, double> class_weight = {};
  // As in StepFeedOptions.
  std::string state = {};
  bool keeps_state = false;
  std::function<void(const Example&)> on_first_batch = {};
};

// Builds a network without an Input layer, which learns its shapes from the first batch.
std::unique_ptr<StepFeed> open_feed(ModelState& model, StepKind kind, const data::Dataset& dataset,
                                    FeedOptions options);

}  // namespace systolic::inline v0
