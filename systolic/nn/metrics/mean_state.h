// The weighted mean over examples that most metrics are. Internal to nn.
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

// One value and one weight for each example, as Keras folds them: axes after the weight's are
// averaged.
struct SampleValues {
  Tensor values;                 // f32 [batch], or a scalar
  std::optional<Tensor> weight;  // f32 [batch]
};
SampleValues samplewise(const Tensor& values, const MetricOptions& options);

// total += sum of the values, count += number (or weights) of the examples.
void add_to_mean(MetricState& state, const Tensor& values, const MetricOptions& options);
// total / count; 0 before the first update.
Tensor mean_result(MetricState& state);

}  // namespace systolic::inline v0
