// Right and wrong predictions at thresholds: what Precision, Recall and AUC count. Internal to nn.
#pragma once

#include <optional>
#include <string_view>

#include "systolic/nn/metrics/confusion/thresholds.h"
#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

// f32, one for each threshold; scalars where there is one.
struct Confusion {
  Tensor true_positives, false_positives, true_negatives, false_negatives;
};

struct Choosing {
  std::vector<double> thresholds;        // a prediction says yes where it is larger
  std::optional<int64_t> top_k = {};     // of the last axis, only the k largest may say yes
  std::optional<int64_t> class_id = {};  // only this place of the last axis counts
  bool from_logits = false;              // predictions go through a sigmoid first
};

// Labels and predictions of one shape, all examples taken together.
Confusion count_confusion(const Tensor& y_true, const Tensor& y_pred, const MetricOptions& options,
                          const Choosing& choosing, std::string_view metric);

// The thresholds as given, each in [0, 1], or Keras's default: 0.5, but with top_k below every
// prediction.
std::vector<double> choice_thresholds(const Thresholds& given, std::optional<int64_t> top_k,
                                      std::string_view metric);
// The shape of the counts: [thresholds], or a scalar for one.
Shape totals_shape(const Thresholds& given);

}  // namespace systolic::inline v0
