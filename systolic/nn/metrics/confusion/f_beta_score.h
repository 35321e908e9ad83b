// The weighted harmonic mean of precision and recall of each class (keras.metrics.FBetaScore),
//   (1 + beta^2) * precision * recall / (beta^2 * precision + recall),
// 0 where a class is neither predicted nor among the labels.
//
//   .metrics = {FBetaScore{.average = "macro", .beta = 0.5}}
//   y_true 0 or 1, of y_pred's shape [batch, ..., classes] (one-hot rows, or several classes at
//   once), or, which Keras does not take, integers [batch, ...] (or with a last axis of 1), a class
//   each. Labels below 0, such as -100, and class numbers that are none are left out.
//
// A prediction says yes above `threshold`, 0.5 of probabilities and 0 of logits; without one the
// largest of each row does. Totals: three counts for each class, whose number the first update
// says; before that the result is a scalar 0, in a function that was traced then for good.
#pragma once

#include <optional>

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

// "none": a score for each class, [classes], which compile()'s metrics cannot show; "micro": of the
// classes' counts taken together; "macro": the classes' mean; "weighted": their mean by the number
// of labels; "binary": that of class 1 of two, or of one, as GLUE reports it for its pairs.
struct ScoreAverageNames {
  SYSTOLIC_NAMES(throw "average must be one of: none micro macro weighted binary")
};

struct FBetaScore {
  static constexpr const char* kind = "FBetaScore";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool takes_class_labels = true;
  static constexpr bool larger_is_better = true;
  Choice<ScoreAverageNames> average = "none";
  double beta = 1;  // how much more recall counts than precision
  std::optional<double> threshold = {};
  std::string name = "fbeta_score";
  DType dtype = DType::f32;  // of the totals

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = FBetaScore>
  static constexpr auto fields() {
    return std::tuple(field("average", &Self::average), field("beta", &Self::beta),
                      field("threshold", &Self::threshold), field("name", &Self::name),
                      field("dtype", &Self::dtype));
  }
};

}  // namespace systolic::inline v0
