// Half a cosine down to alpha times the rate, again and again (keras.optimizers.schedules;
// Loshchilov and Hutter 2017): each round t_mul times as long as the one before, and from m_mul
// times its rate.
#pragma once

#include "systolic/nn/config/required.h"
#include "systolic/nn/optimizers/schedules/learning_rate.h"

namespace systolic::inline v0 {

struct CosineDecayRestarts {
  static constexpr const char* kind = "CosineDecayRestarts";
  Required<double> initial_learning_rate;
  Required<int64_t> first_decay_steps;
  double t_mul = 2.0;  // more than 0
  double m_mul = 1.0;
  double alpha = 0.0;

  // From the step, an f32 scalar that counts from 0.
  Tensor operator()(const Tensor& step) const;

  template <class Self = CosineDecayRestarts>
  static constexpr auto fields() {
    return std::tuple(field("initial_learning_rate", &Self::initial_learning_rate),
                      field("first_decay_steps", &Self::first_decay_steps),
                      field("t_mul", &Self::t_mul), field("m_mul", &Self::m_mul),
                      field("alpha", &Self::alpha));
  }
};

}  // namespace systolic::inline v0
