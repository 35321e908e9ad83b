#include "systolic/nn/metrics/confusion/rate_at_rate.h"

#include "systolic/base/error.h"
#include "systolic/nn/metrics/confusion/confusion.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0::internal {
namespace {

// From just below 0, so that every prediction is above the first one.
std::vector<double> tried_thresholds(int64_t count) {
  if (count == 1) return {0.5};
  std::vector<double> result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(static_cast<double>(i) / static_cast<double>(count - 1));
  result.front() = -1e-7;
  return result;
}

Tensor rate_of(Rate rate, const RateAtRate& metric, MetricState& state) {
  const Shape shape = metric.num_thresholds == 1 ? Shape{} : Shape{metric.num_thresholds};
  const auto total = [&](const char* which) { return state.total(which, shape).value(); };
  switch (rate) {
    case Rate::sensitivity:
      return divide_no_nan(total("true_positives"),
                           total("true_positives") + total("false_negatives"));
    case Rate::specificity:
      return divide_no_nan(total("true_negatives"),
                           total("true_negatives") + total("false_positives"));
    case Rate::precision:
      break;
  }
  return divide_no_nan(total("true_positives"), total("true_positives") + total("false_positives"));
}

}  // namespace

void update_counts(const RateAtRate& metric, const std::string& name, MetricState& state,
                   const Tensor& y_true, const Tensor& y_pred, const MetricOptions& options) {
  if (!(metric.least >= 0 && metric.least <= 1)) {
    raise<InvalidArgument>(
        {.what = str(name, ": ", metric.field, " is ", metric.least), .wanted = "from 0 to 1"});
  }
  if (metric.num_thresholds < 1) {
    raise<InvalidArgument>(
        {.what = str(name, ": num_thresholds is ", metric.num_thresholds), .wanted = "1 or more"});
  }
  const Confusion counts = count_confusion(
      y_true, y_pred, options,
      {.thresholds = tried_thresholds(metric.num_thresholds), .class_id = metric.class_id}, name);
  state.add("true_positives", counts.true_positives);
  state.add("false_positives", counts.false_positives);
  state.add("true_negatives", counts.true_negatives);
  state.add("false_negatives", counts.false_negatives);
}

Tensor best_rate(const RateAtRate& metric, MetricState& state) {
  const Tensor wanted = rate_of(metric.wanted, metric, state);
  const Tensor given = rate_of(metric.given, metric, state);
  const Tensor allowed = where(given >= metric.least, wanted, 0.0);
  return allowed.rank() == 0 ? allowed : max(allowed);
}

}  // namespace systolic::inline v0::internal
