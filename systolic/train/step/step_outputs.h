// What a step's call of the network gives, with what of it counts, and the losses of that. Internal
// to train.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/nn/predictions.h"
#include "systolic/train/step/step_computation.h"

namespace systolic::inline v0 {

struct StepOutputs {
  std::vector<Predictions> outputs;
  std::vector<Tensor> layer_losses;  // scalars that layers and regularizers added
  std::vector<std::pair<std::string, Tensor>> layer_metrics = {};  // by add_metric
};

// Calls the network. Each output has the samples' weights, the rows that are real, and the steps
// that layers masked. `ranges`, where it is not null, gets what layers look up.
StepOutputs call_network(const ModelState& model, const StepTensors& step, bool training,
                         std::vector<IntegerRange>* ranges = nullptr);

struct ComputedLosses {
  Tensor total;                 // with their weights, and what layers added
  std::vector<Tensor> outputs;  // of each output that has one, without its weight
};

// A model without any loss is a FailedPrecondition. What a loss raises says which of several
// outputs its labels are of.
ComputedLosses compute_losses(const ModelState& model, const std::vector<Tensor>& labels,
                              const StepOutputs& predicted);

// The loss of an output, if it has one: compile's one for all, or one for each.
const std::optional<LossFunction>& loss_of_output(const ModelState& model, size_t output,
                                                  size_t outputs);

}  // namespace systolic::inline v0
