// The mean of the absolute difference (keras.metrics.MeanAbsoluteError; the loss has that name
// here).
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct MeanAbsoluteErrorMetric {
  static constexpr const char* kind = "MeanAbsoluteErrorMetric";
  std::string name = "mean_absolute_error";

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;
};

}  // namespace systolic::inline v0
