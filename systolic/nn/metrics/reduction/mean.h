// The weighted mean of the values it is given (keras.metrics.Mean).
//
//   Metric training_loss = Mean{.name = "training_loss"};
//   training_loss.update_state(loss);
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct Mean {
  static constexpr const char* kind = "Mean";
  static constexpr bool uses_sample_weight = true;
  std::string name = "mean";
  DType dtype = DType::f32;  // of the totals

  void update(MetricState& state, const Tensor& values, const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = Mean>
  static constexpr auto fields() {
    return std::tuple(field("name", &Self::name), field("dtype", &Self::dtype));
  }
};

}  // namespace systolic::inline v0
