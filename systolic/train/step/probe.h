// Calls what nobody declared once, on a trace that is thrown away, to see what it does: layers,
// losses and metrics of the user's. Those of this library declare it: LayerTraits (nn/layer.h) and
// uses_sample_weight (nn/metrics/metric.h). Internal to train.
#pragma once

#include <vector>

#include "systolic/train/batches/step_feed_options.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// What is looked at besides what layers look up.
struct ProbeOptions {
  bool training = false;  // layers are called as a step of training does
  bool losses = false, metrics = false;
};

struct Probed {
  // What layers look up of the inputs as they come.
  std::vector<InputRange> ranges;
  // A loss that is a function gives one number for the whole batch.
  bool loss_is_one_number = false;
  // For each metric, whether it does not count by the samples' weights.
  std::vector<bool> metrics_without_weights;
};

// Under the model's lock. The labels may be left out where neither losses nor metrics are looked
// at.
Probed probe(const ModelState& model, const std::vector<ir::Type>& inputs,
             const std::vector<ir::Type>& labels, ProbeOptions options);

}  // namespace systolic::inline v0
