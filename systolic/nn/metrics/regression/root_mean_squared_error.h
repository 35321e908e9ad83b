// The root of the mean squared difference (keras.metrics.RootMeanSquaredError).
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct RootMeanSquaredError {
  static constexpr const char* kind = "RootMeanSquaredError";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool larger_is_better = false;
  std::string name = "root_mean_squared_error";
  DType dtype = DType::f32;  // of the totals

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = RootMeanSquaredError>
  static constexpr auto fields() {
    return std::tuple(field("name", &Self::name), field("dtype", &Self::dtype));
  }
};

}  // namespace systolic::inline v0
