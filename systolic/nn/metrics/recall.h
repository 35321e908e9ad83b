// Of the labels that are 1, the share with a prediction beyond the threshold
// (keras.metrics.Recall).
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct Recall {
  static constexpr const char* kind = "Recall";
  double threshold = 0.5;
  std::string name = "recall";

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;
};

}  // namespace systolic::inline v0
