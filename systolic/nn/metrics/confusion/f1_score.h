// The harmonic mean of precision and recall of each class (keras.metrics.F1Score): FBetaScore whose
// beta is 1, where it says what it takes.
//
//   .metrics = {F1Score{.average = "binary"}}      // of class 1 of two
#pragma once

#include "systolic/nn/metrics/confusion/f_beta_score.h"

namespace systolic::inline v0 {

struct F1Score {
  static constexpr const char* kind = "F1Score";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool takes_class_labels = true;
  static constexpr bool larger_is_better = true;
  Choice<ScoreAverageNames> average = "none";
  std::optional<double> threshold = {};
  std::string name = "f1_score";
  DType dtype = DType::f32;  // of the totals

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const {
    as_f_beta().update(state, y_true, y_pred, options);
  }
  Tensor result(MetricState& state) const { return as_f_beta().result(state); }

  template <class Self = F1Score>
  static constexpr auto fields() {
    return std::tuple(field("average", &Self::average), field("threshold", &Self::threshold),
                      field("name", &Self::name), field("dtype", &Self::dtype));
  }

 private:
  FBetaScore as_f_beta() const { return {average, 1, threshold, name, dtype}; }
};

}  // namespace systolic::inline v0
