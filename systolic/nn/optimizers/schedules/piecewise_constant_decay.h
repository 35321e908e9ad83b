// values[0] up to step boundaries[0], values[1] up to boundaries[1], ..., the last value after that
// (keras.optimizers.schedules). One value more than boundaries.
#pragma once

#include <vector>

#include "systolic/nn/config/required.h"
#include "systolic/nn/optimizers/schedules/learning_rate.h"

namespace systolic::inline v0 {

struct PiecewiseConstantDecay {
  static constexpr const char* kind = "PiecewiseConstantDecay";
  Required<std::vector<int64_t>> boundaries;
  Required<std::vector<double>> values;

  // From the step, an f32 scalar that counts from 0.
  Tensor operator()(const Tensor& step) const;

  template <class Self = PiecewiseConstantDecay>
  static constexpr auto fields() {
    return std::tuple(field("boundaries", &Self::boundaries), field("values", &Self::values));
  }
};

}  // namespace systolic::inline v0
