#include "systolic/nn/metrics/auc.h"

#include "systolic/base/error.h"
#include "systolic/core/literal.h"
#include "systolic/nn/metrics/confusion.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// 0 and 1 lie just outside, so that every prediction is between two thresholds (Keras's epsilon).
Tensor thresholds_of(int64_t count) {
  std::vector<float> thresholds;
  for (int64_t i = 0; i < count; ++i) {
    thresholds.push_back(static_cast<float>(i) / static_cast<float>(count - 1));
  }
  thresholds.front() = -1e-7f;
  thresholds.back() = 1.0f + 1e-7f;
  return constant(Literal::from(thresholds, {count, 1}));
}

}  // namespace

void AUC::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                 const MetricOptions& options) const {
  if (num_thresholds < 2) {
    raise<InvalidArgument>(
        {.what = str("AUC: num_thresholds is ", num_thresholds), .wanted = "2 or more"});
  }
  const Tensor scores = from_logits ? sigmoid(cast(y_pred, DType::f32)) : y_pred;
  const Confusion counts =
      count_confusion(y_true, scores, options, thresholds_of(num_thresholds), name);
  state.add("true_positives", counts.true_positives);
  state.add("false_positives", counts.false_positives);
  state.add("false_negatives", counts.false_negatives);
  state.add("true_negatives", counts.true_negatives);
}

Tensor AUC::result(MetricState& state) const {
  const Shape shape{num_thresholds};
  const Tensor right = state.total("true_positives", shape).value();
  const Tensor wrong = state.total("false_positives", shape).value();
  const Tensor recall = divide_no_nan(right, right + state.total("false_negatives", shape).value());
  const Tensor false_rate =
      divide_no_nan(wrong, wrong + state.total("true_negatives", shape).value());
  const int64_t steps = num_thresholds - 1;
  const Tensor heights = (slice(recall, {0}, {steps}) + slice(recall, {1}, {steps})) / 2.0;
  return systolic::sum((slice(false_rate, {0}, {steps}) - slice(false_rate, {1}, {steps})) *
                       heights);
}

}  // namespace systolic::inline v0
