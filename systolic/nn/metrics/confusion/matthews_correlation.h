// Matthews' correlation of predicted and true classes, from -1 over 0 (chance) to 1 (all right):
// what CoLA is scored by. For two classes the phi coefficient (Matthews 1975),
//   (TP * TN - FP * FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN)),
// of more its form by Gorodkin (2004). 0 where all predictions, or all labels, are one class.
//
//   .metrics = {MatthewsCorrelation{}}
//   y_true integers [batch, ...] (or with a last axis of 1); y_pred [batch, ..., num_classes], the
//   largest counts, or for two classes one score each, in y_true's shape, which says 1 above
//   `threshold`. Labels outside [0, num_classes), such as -100, are left out. Totals: three counts
//   for each class.
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct MatthewsCorrelation {
  static constexpr const char* kind = "MatthewsCorrelation";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool takes_class_labels = true;
  static constexpr bool larger_is_better = true;
  int64_t num_classes = 2;
  double threshold = 0.5;
  std::string name = "matthews_correlation";
  DType dtype = DType::f32;  // of the totals

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = MatthewsCorrelation>
  static constexpr auto fields() {
    return std::tuple(field("num_classes", &Self::num_classes),
                      field("threshold", &Self::threshold), field("name", &Self::name),
                      field("dtype", &Self::dtype));
  }
};

}  // namespace systolic::inline v0
