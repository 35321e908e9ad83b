#include "systolic/nn/metrics/confusion/condition_counts.h"

#include "systolic/nn/metrics/confusion/confusion.h"

namespace systolic::inline v0 {

template <Condition condition>
void ConditionCount<condition>::update(MetricState& state, const Tensor& y_true,
                                       const Tensor& y_pred, const MetricOptions& options) const {
  const Confusion counts = count_confusion(
      y_true, y_pred, options, {choice_thresholds(thresholds, std::nullopt, name)}, name);
  const Tensor* of[] = {&counts.true_positives, &counts.false_positives, &counts.true_negatives,
                        &counts.false_negatives};
  state.add("accumulator", *of[static_cast<int>(condition)]);
}

template <Condition condition>
Tensor ConditionCount<condition>::result(MetricState& state) const {
  return state.total("accumulator", totals_shape(thresholds)).value();
}

template struct ConditionCount<Condition::true_positives>;
template struct ConditionCount<Condition::false_positives>;
template struct ConditionCount<Condition::true_negatives>;
template struct ConditionCount<Condition::false_negatives>;

}  // namespace systolic::inline v0
