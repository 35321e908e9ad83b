// A linear rise from 0 to what `after` starts with, in warmup_steps; then `after`, which begins to
// count there.
//
//   WarmUp{.warmup_steps = 1000, .after = PolynomialDecay{.initial_learning_rate = 1e-4,
//                                                         .decay_steps = 9000,
//                                                         .end_learning_rate = 0}}
#pragma once

#include "systolic/nn/config/required.h"
#include "systolic/nn/optimizers/schedules/learning_rate.h"

namespace systolic::inline v0 {

struct WarmUp {
  static constexpr const char* kind = "WarmUp";
  Required<int64_t> warmup_steps;
  Required<LearningRate> after;

  // From the step, an f32 scalar that counts from 0.
  Tensor operator()(const Tensor& step) const;

  template <class Self = WarmUp>
  static constexpr auto fields() {
    return std::tuple(field("warmup_steps", &Self::warmup_steps), field("after", &Self::after));
  }
};

}  // namespace systolic::inline v0
