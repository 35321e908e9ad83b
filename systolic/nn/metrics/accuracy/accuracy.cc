#include "systolic/nn/metrics/accuracy/accuracy.h"

#include "systolic/nn/losses/float_pair.h"
#include "systolic/nn/metrics/mean_state.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

void Accuracy::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                      const MetricOptions& options) const {
  const auto [labels, scores] = float_pair(y_true, y_pred, name);
  add_to_mean(state, equal(labels, scores), options);
}

Tensor Accuracy::result(MetricState& state) const { return mean_result(state); }

}  // namespace systolic::inline v0
