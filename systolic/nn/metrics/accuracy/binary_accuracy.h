// How often predictions beyond the threshold agree with labels of 0 and 1
// (keras.metrics.BinaryAccuracy); y_true and y_pred of one shape.
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct BinaryAccuracy {
  static constexpr const char* kind = "BinaryAccuracy";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool larger_is_better = true;
  double threshold = 0.5;
  bool from_logits = false;  // predictions go through a sigmoid first
  std::string name = "binary_accuracy";
  DType dtype = DType::f32;  // of the totals

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = BinaryAccuracy>
  static constexpr auto fields() {
    return std::tuple(field("threshold", &Self::threshold),
                      field("from_logits", &Self::from_logits), field("name", &Self::name),
                      field("dtype", &Self::dtype));
  }
};

}  // namespace systolic::inline v0
