// A linear warm-up, then half a cosine down to alpha times the rate (keras.optimizers.schedules;
// Loshchilov and Hutter 2017).
//
// Without warmup_target: from initial_learning_rate over decay_steps. With it: up from
// initial_learning_rate to warmup_target in warmup_steps, then down over decay_steps.
#pragma once

#include <optional>

#include "systolic/nn/config/required.h"
#include "systolic/nn/optimizers/schedules/learning_rate.h"

namespace systolic::inline v0 {

struct CosineDecay {
  static constexpr const char* kind = "CosineDecay";
  Required<double> initial_learning_rate;
  Required<int64_t> decay_steps;
  double alpha = 0.0;
  std::optional<double> warmup_target = {};
  int64_t warmup_steps = 0;

  // From the step, an f32 scalar that counts from 0.
  Tensor operator()(const Tensor& step) const;

  template <class Self = CosineDecay>
  static constexpr auto fields() {
    return std::tuple(field("initial_learning_rate", &Self::initial_learning_rate),
                      field("decay_steps", &Self::decay_steps), field("alpha", &Self::alpha),
                      field("warmup_target", &Self::warmup_target),
                      field("warmup_steps", &Self::warmup_steps));
  }
};

}  // namespace systolic::inline v0
