// The weighted sum of the values it is given (keras.metrics.Sum).
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct Sum {
  static constexpr const char* kind = "Sum";
  static constexpr bool uses_sample_weight = true;
  std::string name = "sum";
  DType dtype = DType::f32;  // of the totals

  void update(MetricState& state, const Tensor& values, const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = Sum>
  static constexpr auto fields() {
    return std::tuple(field("name", &Self::name), field("dtype", &Self::dtype));
  }
};

}  // namespace systolic::inline v0
