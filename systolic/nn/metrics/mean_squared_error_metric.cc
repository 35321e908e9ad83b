#include "systolic/nn/metrics/mean_squared_error_metric.h"

#include "systolic/nn/losses/mean_squared_error.h"
#include "systolic/nn/metrics/mean_state.h"

namespace systolic::inline v0 {

void MeanSquaredErrorMetric::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                                    const MetricOptions& options) const {
  add_to_mean(state, mean_squared_error(y_true, y_pred), options);
}

Tensor MeanSquaredErrorMetric::result(MetricState& state) const { return mean_result(state); }

}  // namespace systolic::inline v0
