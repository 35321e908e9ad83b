// The coefficient of determination (keras.metrics.R2Score): 1 - (squared error) / (squared distance
// from the labels' mean), of each place of the last axis.
//
//   .metrics = {R2Score{.class_aggregation = "variance_weighted_average"}}
//   y_true, y_pred [batch, n]; the result is a scalar, with "none" [n]
//
// 1 is perfect, 0 what the mean would do. num_regressors, the model's independent inputs, adjusts
// it by (samples - 1) / (samples - num_regressors - 1) where there are samples enough. 0 where
// labels are constant. Other shapes are an InvalidArgument. Totals: four numbers for each place;
// before the first update the result is a scalar 0.
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

// How the scores of all places become one: by their mean, by a mean weighted by the variance of the
// labels, or not at all.
struct R2AggregationNames {
  SYSTOLIC_NAMES(
      throw "class_aggregation must be one of: uniform_average variance_weighted_average none")  // NOLINT
};

struct R2Score {
  static constexpr const char* kind = "R2Score";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool larger_is_better = true;
  Choice<R2AggregationNames> class_aggregation = "uniform_average";
  int64_t num_regressors = 0;
  std::string name = "r2_score";
  DType dtype = DType::f32;  // of the totals

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = R2Score>
  static constexpr auto fields() {
    return std::tuple(field("class_aggregation", &Self::class_aggregation),
                      field("num_regressors", &Self::num_regressors), field("name", &Self::name),
                      field("dtype", &Self::dtype));
  }
};

}  // namespace systolic::inline v0
