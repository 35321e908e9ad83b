#include "systolic/nn/metrics/confusion/recall.h"

#include "systolic/nn/metrics/confusion/confusion.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

void Recall::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                    const MetricOptions& options) const {
  const Confusion counts = count_confusion(
      y_true, y_pred, options,
      {choice_thresholds(thresholds, top_k, name), top_k, class_id, from_logits}, name);
  state.add("true_positives", counts.true_positives);
  state.add("false_negatives", counts.false_negatives);
}

Tensor Recall::result(MetricState& state) const {
  const Shape shape = totals_shape(thresholds);
  const Tensor right = state.total("true_positives", shape).value();
  return divide_no_nan(right, right + state.total("false_negatives", shape).value());
}

}  // namespace systolic::inline v0
