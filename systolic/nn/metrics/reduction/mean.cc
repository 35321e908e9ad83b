#include "systolic/nn/metrics/reduction/mean.h"

#include "systolic/nn/metrics/mean_state.h"

namespace systolic::inline v0 {

void Mean::update(MetricState& state, const Tensor& values, const MetricOptions& options) const {
  add_to_mean(state, values, options);
}

Tensor Mean::result(MetricState& state) const { return mean_result(state); }

}  // namespace systolic::inline v0
