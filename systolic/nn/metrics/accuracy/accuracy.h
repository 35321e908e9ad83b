// How often predictions equal labels (keras.metrics.Accuracy); y_true and y_pred of one shape. The
// name "accuracy" in compile stands for the categorical and binary accuracies instead.
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct Accuracy {
  static constexpr const char* kind = "Accuracy";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool larger_is_better = true;
  std::string name = "accuracy";
  DType dtype = DType::f32;  // of the totals

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = Accuracy>
  static constexpr auto fields() {
    return std::tuple(field("name", &Self::name), field("dtype", &Self::dtype));
  }
};

}  // namespace systolic::inline v0
