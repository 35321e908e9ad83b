// From initial_learning_rate to end_learning_rate in decay_steps, along (1 - step /
// decay_steps)^power (keras.optimizers.schedules). `cycle` begins a longer decay each time the end
// is reached.
#pragma once

#include "systolic/nn/config/required.h"
#include "systolic/nn/optimizers/schedules/learning_rate.h"

namespace systolic::inline v0 {

struct PolynomialDecay {
  static constexpr const char* kind = "PolynomialDecay";
  Required<double> initial_learning_rate;
  Required<int64_t> decay_steps;
  double end_learning_rate = 0.0001;
  double power = 1.0;
  bool cycle = false;

  // From the step, an f32 scalar that counts from 0.
  Tensor operator()(const Tensor& step) const;

  template <class Self = PolynomialDecay>
  static constexpr auto fields() {
    return std::tuple(field("initial_learning_rate", &Self::initial_learning_rate),
                      field("decay_steps", &Self::decay_steps),
                      field("end_learning_rate", &Self::end_learning_rate),
                      field("power", &Self::power), field("cycle", &Self::cycle));
  }
};

}  // namespace systolic::inline v0
