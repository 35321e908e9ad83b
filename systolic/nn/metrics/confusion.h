// Right and wrong predictions at thresholds. Internal to nn.
#pragma once

#include <string_view>

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

// f32, of the thresholds' shape without a last axis of 1.
struct Confusion {
  Tensor true_positives, false_positives, true_negatives, false_negatives;
};

// Labels and predictions of one shape, all examples taken together. `thresholds`: a number, or a
// Tensor [count, 1].
Confusion count_confusion(const Tensor& y_true, const Tensor& y_pred, const MetricOptions& options,
                          Operand thresholds, std::string_view metric);

}  // namespace systolic::inline v0
