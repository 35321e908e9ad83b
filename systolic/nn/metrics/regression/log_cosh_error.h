// The mean of log(cosh(prediction - label)) (keras.metrics.LogCoshError): the loss LogCosh under
// the metric's name.
#pragma once

#include "systolic/nn/losses/regression_losses.h"
#include "systolic/nn/metrics/mean_state.h"
#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct LogCoshError {
  static constexpr const char* kind = "LogCoshError";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool larger_is_better = false;
  std::string name = "logcosh";
  DType dtype = DType::f32;  // of the totals

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const {
    add_to_mean(state, log_cosh(y_true, y_pred), options);
  }
  Tensor result(MetricState& state) const { return mean_result(state); }

  template <class Self = LogCoshError>
  static constexpr auto fields() {
    return std::tuple(field("name", &Self::name), field("dtype", &Self::dtype));
  }
};

}  // namespace systolic::inline v0
