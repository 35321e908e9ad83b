// What one step computes on its Tensors, whether they are traced or hold values: the network, the
// losses, their gradient, the optimizer, the metrics. Internal to train.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "systolic/train/batches/step_input.h"
#include "systolic/train/state/model_state.h"

namespace systolic::inline v0 {

// One step's Tensors, by what they are for.
struct StepTensors {
  std::vector<Tensor> inputs, labels;
  std::vector<Tensor> weights;  // f32 [batch] or as the losses; one for all outputs, or one each
  std::optional<Tensor> mask;   // pred [batch]
  int64_t real_rows = -1;       // how many it leaves, where the program serves that number alone

  // The weights of the output at that place.
  std::optional<Tensor> weights_of(size_t place) const {
    const size_t i = weights.size() == 1 ? 0 : place;
    return i < weights.size() ? std::optional<Tensor>(weights[i]) : std::nullopt;
  }
};

// In the order of BatchLayout::order(), then the mask where `input` has one.
StepTensors unpack_step(const std::vector<Tensor>& tensors, const StepInput& input);

// One step of training or of evaluation, metrics included; gives its loss, a scalar.
Tensor compute_step(const ModelState& model, StepKind kind, const StepTensors& step);

// The first rows of all arrays, without a mask.
StepTensors without_padding(StepTensors step, int64_t rows);

}  // namespace systolic::inline v0
