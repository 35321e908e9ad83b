// How many predictions are right or wrong, and which way (keras.metrics): one count at each
// threshold, by the sample weights.
//
//   .metrics = {TruePositives{}, FalseNegatives{.thresholds = {0.3, 0.7}}}
//
// y_true 0 or 1, y_pred in [0, 1], of one shape; the result is a scalar, or [thresholds].
#pragma once

#include "systolic/nn/metrics/confusion/thresholds.h"
#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

// Which predictions a ConditionCount counts.
enum class Condition { true_positives, false_positives, true_negatives, false_negatives };

namespace internal {

struct ConditionNames {
  const char *kind, *name;
};
inline constexpr ConditionNames condition_names[] = {{"TruePositives", "true_positives"},
                                                     {"FalsePositives", "false_positives"},
                                                     {"TrueNegatives", "true_negatives"},
                                                     {"FalseNegatives", "false_negatives"}};

}  // namespace internal

template <Condition condition>
struct ConditionCount {
  static constexpr internal::ConditionNames names =
      internal::condition_names[static_cast<int>(condition)];
  static constexpr const char* kind = names.kind;
  static constexpr bool uses_sample_weight = true;
  static constexpr bool larger_is_better =
      condition == Condition::true_positives || condition == Condition::true_negatives;
  Thresholds thresholds = {};  // 0.5
  std::string name = names.name;
  DType dtype = DType::f32;  // of the total

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = ConditionCount>
  static constexpr auto fields() {
    return std::tuple(field("thresholds", &Self::thresholds), field("name", &Self::name),
                      field("dtype", &Self::dtype));
  }
};

using TruePositives = ConditionCount<Condition::true_positives>;
// Predictions above the threshold whose label is 0; fewer are better.
using FalsePositives = ConditionCount<Condition::false_positives>;
// Predictions not above the threshold whose label is 0.
using TrueNegatives = ConditionCount<Condition::true_negatives>;
using FalseNegatives = ConditionCount<Condition::false_negatives>;

}  // namespace systolic::inline v0
