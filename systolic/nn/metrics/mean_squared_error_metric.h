// The mean of the squared difference (keras.metrics.MeanSquaredError; the loss has that name here).
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct MeanSquaredErrorMetric {
  static constexpr const char* kind = "MeanSquaredErrorMetric";
  std::string name = "mean_squared_error";

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;
};

}  // namespace systolic::inline v0
