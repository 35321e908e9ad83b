// How often the largest prediction is that of the label (keras.metrics.SparseCategoricalAccuracy).
//
//   y_true [batch, ...] integers (also [batch, ..., 1]), y_pred [batch, ..., classes]
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct SparseCategoricalAccuracy {
  static constexpr const char* kind = "SparseCategoricalAccuracy";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool takes_class_labels = true;
  static constexpr bool larger_is_better = true;
  std::string name = "sparse_categorical_accuracy";
  DType dtype = DType::f32;  // of the totals

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = SparseCategoricalAccuracy>
  static constexpr auto fields() {
    return std::tuple(field("name", &Self::name), field("dtype", &Self::dtype));
  }
};

}  // namespace systolic::inline v0
