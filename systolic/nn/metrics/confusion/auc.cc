#include "systolic/nn/metrics/confusion/auc.h"

#include "systolic/base/error.h"
#include "systolic/nn/metrics/confusion/confusion.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// 0 and 1 lie just outside, so that every prediction is between two thresholds (Keras's epsilon).
std::vector<double> evenly_spaced(int64_t count) {
  std::vector<double> thresholds;
  for (int64_t i = 0; i < count; ++i) {
    thresholds.push_back(static_cast<double>(i) / static_cast<double>(count - 1));
  }
  thresholds.front() = -1e-7;
  thresholds.back() = 1 + 1e-7;
  return thresholds;
}

// The values that are kept for the lower and the upper threshold of each step.
struct Steps {
  explicit Steps(const Tensor& x)
      : low(slice(x, {0}, {x.size() - 1})), high(slice(x, {1}, {x.size() - 1})) {}
  Tensor low, high;
  Tensor width() const { return low - high; }
};

// With precision = TP / (TP + FP), both linear in P = TP + FP within a step, the area of a step is
// slope * (dTP + intercept * log(P_low / P_high)) / positives.
Tensor interpolated_precision(const Steps& right, const Steps& said, const Steps& missed) {
  const Tensor slope = divide_no_nan(right.width(), maximum(said.width(), 0.0));
  const Tensor intercept = right.high - slope * said.high;
  const Tensor both = logical_and(said.low > 0.0, said.high > 0.0);
  const Tensor ratio = where(both, divide_no_nan(said.low, said.high), 1.0);
  return sum(
      divide_no_nan(slope * (right.width() + intercept * log(ratio)), right.high + missed.high));
}

}  // namespace

void AUC::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                 const MetricOptions& options) const {
  if (num_thresholds < 2) {
    raise<InvalidArgument>(
        {.what = str("AUC: num_thresholds is ", num_thresholds), .wanted = "2 or more"});
  }
  const Tensor wide = cast(y_pred, DType::f32);
  const Tensor scores = from_logits ? sigmoid(wide) : clip(wide, 0.0, 1.0);
  const Confusion counts =
      count_confusion(y_true, scores, options, {.thresholds = evenly_spaced(num_thresholds)}, name);
  state.add("true_positives", counts.true_positives);
  state.add("false_positives", counts.false_positives);
  state.add("false_negatives", counts.false_negatives);
  state.add("true_negatives", counts.true_negatives);
}

Tensor AUC::result(MetricState& state) const {
  const auto total = [&](const char* which) {
    return state.total(which, {num_thresholds}).value();
  };
  const Tensor right = total("true_positives"), wrong = total("false_positives");
  const Tensor missed = total("false_negatives");
  if (curve.is("PR") && summation_method.is("interpolation")) {
    return interpolated_precision(Steps(right), Steps(right + wrong), Steps(missed));
  }
  const Tensor recall = divide_no_nan(right, right + missed);
  const Steps x(curve.is("ROC") ? divide_no_nan(wrong, wrong + total("true_negatives")) : recall);
  const Steps y(curve.is("ROC") ? recall : divide_no_nan(right, right + wrong));
  const Tensor heights = summation_method.is("minoring")   ? minimum(y.low, y.high)
                         : summation_method.is("majoring") ? maximum(y.low, y.high)
                                                           : (y.low + y.high) / 2.0;
  return sum(x.width() * heights);
}

}  // namespace systolic::inline v0
