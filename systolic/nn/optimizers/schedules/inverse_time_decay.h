// initial_learning_rate / (1 + decay_rate * step / decay_steps) (keras.optimizers.schedules);
// staircase rounds the quotient down.
#pragma once

#include "systolic/nn/config/required.h"
#include "systolic/nn/optimizers/schedules/learning_rate.h"

namespace systolic::inline v0 {

struct InverseTimeDecay {
  static constexpr const char* kind = "InverseTimeDecay";
  Required<double> initial_learning_rate;
  Required<int64_t> decay_steps;
  Required<double> decay_rate;
  bool staircase = false;

  // From the step, an f32 scalar that counts from 0.
  Tensor operator()(const Tensor& step) const;

  template <class Self = InverseTimeDecay>
  static constexpr auto fields() {
    return std::tuple(field("initial_learning_rate", &Self::initial_learning_rate),
                      field("decay_steps", &Self::decay_steps),
                      field("decay_rate", &Self::decay_rate), field("staircase", &Self::staircase));
  }
};

}  // namespace systolic::inline v0
