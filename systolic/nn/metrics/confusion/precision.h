// The share of the predictions beyond the threshold whose label is 1 (keras.metrics.Precision).
//
//   Precision{.thresholds = {0.3, 0.7}}
//
// y_true 0 or 1, y_pred in [0, 1] or logits, of one shape; the result is a scalar, or [thresholds].
#pragma once

#include <optional>

#include "systolic/nn/metrics/confusion/thresholds.h"
#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct Precision {
  static constexpr const char* kind = "Precision";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool larger_is_better = true;
  Thresholds thresholds = {};            // 0.5; with top_k, none
  std::optional<int64_t> top_k = {};     // of the last axis, only the k largest predictions count
  std::optional<int64_t> class_id = {};  // only this place of the last axis counts
  bool from_logits = false;              // predictions go through a sigmoid first
  std::string name = "precision";
  DType dtype = DType::f32;  // of the totals

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = Precision>
  static constexpr auto fields() {
    return std::tuple(field("thresholds", &Self::thresholds), field("top_k", &Self::top_k),
                      field("class_id", &Self::class_id), field("from_logits", &Self::from_logits),
                      field("name", &Self::name), field("dtype", &Self::dtype));
  }
};

}  // namespace systolic::inline v0
