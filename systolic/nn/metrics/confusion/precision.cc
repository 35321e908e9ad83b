#include "systolic/nn/metrics/confusion/precision.h"

#include "systolic/nn/metrics/confusion/confusion.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

void Precision::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                       const MetricOptions& options) const {
  const Confusion counts = count_confusion(
      y_true, y_pred, options,
      {choice_thresholds(thresholds, top_k, name), top_k, class_id, from_logits}, name);
  state.add("true_positives", counts.true_positives);
  state.add("false_positives", counts.false_positives);
}

Tensor Precision::result(MetricState& state) const {
  const Shape shape = totals_shape(thresholds);
  const Tensor right = state.total("true_positives", shape).value();
  return divide_no_nan(right, right + state.total("false_positives", shape).value());
}

}  // namespace systolic::inline v0
