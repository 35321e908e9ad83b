#include "systolic/nn/metrics/accuracy/top_k_categorical_accuracy.h"

#include "systolic/nn/metrics/accuracy/class_match.h"
#include "systolic/nn/metrics/mean_state.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

void TopKCategoricalAccuracy::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                                     const MetricOptions& options) const {
  add_to_mean(state, top_k_matches(argmax(y_true), y_pred, k), options);
}

Tensor TopKCategoricalAccuracy::result(MetricState& state) const { return mean_result(state); }

}  // namespace systolic::inline v0
