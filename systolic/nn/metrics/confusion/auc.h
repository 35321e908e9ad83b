// The area under a curve, by Riemann sum over evenly spaced thresholds (keras.metrics.AUC): "ROC",
// the true over the false positive rate, or "PR", precision over recall.
//
//   AUC{.curve = "PR"}
//   y_true 0 or 1, y_pred in [0, 1], of one shape. Totals: four counts for each threshold.
//
// `summation_method`: "interpolation" takes the mean of a step's two heights (of "PR" the form of
// Davis and Goadrich 2006), "minoring" the smaller and "majoring" the larger.
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

// The curve whose area counts: "ROC", or "PR", precision over recall.
struct AucCurveNames {
  SYSTOLIC_NAMES(throw "curve must be one of: ROC PR")
};

// How the area between two thresholds is taken: by the mean of both heights, by the smaller, or by
// the larger.
struct AucSummationNames {
  SYSTOLIC_NAMES(throw "summation_method must be one of: interpolation minoring majoring")
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

  template <class Self = AUC>
  static constexpr auto fields() {
    return std::tuple(field("num_thresholds", &Self::num_thresholds), field("curve", &Self::curve),
                      field("summation_method", &Self::summation_method),
                      field("from_logits", &Self::from_logits), field("name", &Self::name),
                      field("dtype", &Self::dtype));
  }
};

}  // namespace systolic::inline v0
