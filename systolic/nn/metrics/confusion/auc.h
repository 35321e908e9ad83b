// The area under a curve, by Riemann sum over evenly spaced thresholds (keras.metrics.AUC): "ROC",
// the true over the false positive rate, or "PR", precision over recall.
//
//   AUC{.curve = "PR"}
//   y_true 0 or 1, y_pred in [0, 1], of one shape. Totals: four counts for each threshold.
//
// `summation_method`: "interpolation" takes the mean of a step's two heights (of "PR" the form of
// Davis and Goadrich 2006), "minoring" the smaller and "majoring" the larger.
#pragma once

#include <array>

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct AucCurveNames {
  static constexpr std::string_view subject = "curve";
  static constexpr std::array<std::string_view, 2> names{"ROC", "PR"};
  static constexpr int position(std::string_view name) {
    const int found = position_in(names, name);
    if (found < 0) throw "curve must be one of: ROC PR";
    return found;
  }
};

struct AucSummationNames {
  static constexpr std::string_view subject = "summation_method";
  static constexpr std::array<std::string_view, 3> names{"interpolation", "minoring", "majoring"};
  static constexpr int position(std::string_view name) {
    const int found = position_in(names, name);
    if (found < 0) throw "summation_method must be one of: interpolation minoring majoring";
    return found;
  }
};

struct AUC {
  static constexpr const char* kind = "AUC";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool larger_is_better = true;
  int64_t num_thresholds = 200;
  Choice<AucCurveNames> curve = "ROC";
  Choice<AucSummationNames> summation_method = "interpolation";
  bool from_logits = false;  // predictions go through a sigmoid first
  std::string name = "auc";
  DType dtype = DType::f32;  // of the totals

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;
};

}  // namespace systolic::inline v0
