// The area under the ROC curve, by Riemann sum over evenly spaced thresholds (keras.metrics.AUC
// with summation_method="interpolation").
//
//   y_true 0 or 1, y_pred in [0, 1], of one shape. Totals: four counts for each threshold.
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct AUC {
  static constexpr const char* kind = "AUC";
  int64_t num_thresholds = 200;
  bool from_logits = false;  // predictions go through a sigmoid first
  std::string name = "auc";

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;
};

}  // namespace systolic::inline v0
