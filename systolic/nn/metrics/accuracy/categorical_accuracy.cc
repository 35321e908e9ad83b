#include "systolic/nn/metrics/accuracy/categorical_accuracy.h"

#include "systolic/nn/metrics/accuracy/class_match.h"
#include "systolic/nn/metrics/mean_state.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

void CategoricalAccuracy::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                                 const MetricOptions& options) const {
  add_to_mean(state, sparse_matches(argmax(y_true), y_pred), options);
}

Tensor CategoricalAccuracy::result(MetricState& state) const { return mean_result(state); }

}  // namespace systolic::inline v0
