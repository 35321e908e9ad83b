// How often the label is among the k largest predictions
// (keras.metrics.SparseTopKCategoricalAccuracy).
//
//   y_true [batch, ...] integers, y_pred [batch, ..., classes]
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct SparseTopKCategoricalAccuracy {
  static constexpr const char* kind = "SparseTopKCategoricalAccuracy";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool takes_class_labels = true;
  static constexpr bool larger_is_better = true;
  int64_t k = 5;
  std::string name = "sparse_top_k_categorical_accuracy";
  DType dtype = DType::f32;  // of the totals

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = SparseTopKCategoricalAccuracy>
  static constexpr auto fields() {
    return std::tuple(field("k", &Self::k), field("name", &Self::name),
                      field("dtype", &Self::dtype));
  }
};

}  // namespace systolic::inline v0
