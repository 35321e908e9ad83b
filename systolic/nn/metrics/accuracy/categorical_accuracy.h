// How often the largest prediction is at the largest label (keras.metrics.CategoricalAccuracy).
//
//   y_true and y_pred [batch, ..., classes]; labels one-hot or probabilities.
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct CategoricalAccuracy {
  static constexpr const char* kind = "CategoricalAccuracy";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool larger_is_better = true;
  std::string name = "categorical_accuracy";
  DType dtype = DType::f32;  // of the totals

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = CategoricalAccuracy>
  static constexpr auto fields() {
    return std::tuple(field("name", &Self::name), field("dtype", &Self::dtype));
  }
};

}  // namespace systolic::inline v0
