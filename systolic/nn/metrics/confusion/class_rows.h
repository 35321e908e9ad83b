// Labels, predictions and weights as rows, one for each label: what metrics over classes count.
// Internal to nn.
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

// Integers of any shape -> f32 [n, count], 1 at the class; a row of zeros where it is none of them.
Tensor one_hot_rows(const Tensor& classes, int64_t count);

// f32 [n, 1]: the weight of each of the labels, whose shape is given.
Tensor weight_column(const MetricOptions& options, const Shape& labels);

}  // namespace systolic::inline v0
