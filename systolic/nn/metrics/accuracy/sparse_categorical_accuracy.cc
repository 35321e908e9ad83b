#include "systolic/nn/metrics/accuracy/sparse_categorical_accuracy.h"

#include "systolic/nn/metrics/accuracy/class_match.h"
#include "systolic/nn/metrics/mean_state.h"

namespace systolic::inline v0 {

void SparseCategoricalAccuracy::update(MetricState& state, const Tensor& y_true,
                                       const Tensor& y_pred, const MetricOptions& options) const {
  add_to_mean(state, sparse_matches(y_true, y_pred), options);
}

Tensor SparseCategoricalAccuracy::result(MetricState& state) const { return mean_result(state); }

}  // namespace systolic::inline v0
