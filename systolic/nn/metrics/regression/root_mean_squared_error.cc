#include "systolic/nn/metrics/regression/root_mean_squared_error.h"

#include "systolic/nn/losses/float_pair.h"
#include "systolic/nn/metrics/mean_state.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

void RootMeanSquaredError::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                                  const MetricOptions& options) const {
  const auto [labels, scores] = float_pair(y_true, y_pred, name);
  add_to_mean(state, square(scores - labels), options);
}

Tensor RootMeanSquaredError::result(MetricState& state) const { return sqrt(mean_result(state)); }

}  // namespace systolic::inline v0
