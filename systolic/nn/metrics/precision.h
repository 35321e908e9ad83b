// Of the predictions beyond the threshold, the share whose label is 1 (keras.metrics.Precision).
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct Precision {
  static constexpr const char* kind = "Precision";
  double threshold = 0.5;
  std::string name = "precision";

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;
};

}  // namespace systolic::inline v0
