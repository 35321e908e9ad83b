#include "systolic/nn/metrics/accuracy/binary_accuracy.h"

#include "systolic/nn/losses/float_pair.h"
#include "systolic/nn/metrics/mean_state.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

void BinaryAccuracy::update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
                            const MetricOptions& options) const {
  const auto [labels, scores] = float_pair(y_true, y_pred, name);
  const Tensor chances = from_logits ? sigmoid(scores) : scores;
  const Tensor matches = cast(equal(labels, cast(chances > threshold, DType::f32)), DType::f32);
  add_to_mean(state, matches, options);
}

Tensor BinaryAccuracy::result(MetricState& state) const { return mean_result(state); }

}  // namespace systolic::inline v0
