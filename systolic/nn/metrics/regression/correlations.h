// How closely predictions follow labels along `axis` (keras.metrics), the mean over the samples:
//
//   PearsonCorrelation{}        mean of the product of what each is beside its mean, in deviations
//   ConcordanceCorrelation{}    2 mean((y - mean p) (p - mean p)) / (var y + var p + (mean y - mean
//                               p)^2 + 1e-7), as Keras 3.15 computes it
//
// y_true, y_pred [batch, ..., n] of one shape; from -1 to 1. Constant labels or predictions give
// NaN in the first. Other shapes are an InvalidArgument.
#pragma once

#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {

struct PearsonCorrelation {
  static constexpr const char* kind = "PearsonCorrelation";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool larger_is_better = true;
  std::string name = "pearson_correlation";
  DType dtype = DType::f32;  // of the totals
  int axis = -1;

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = PearsonCorrelation>
  static constexpr auto fields() {
    return std::tuple(field("name", &Self::name), field("dtype", &Self::dtype),
                      field("axis", &Self::axis));
  }
};

struct ConcordanceCorrelation {
  static constexpr const char* kind = "ConcordanceCorrelation";
  static constexpr bool uses_sample_weight = true;
  static constexpr bool larger_is_better = true;
  std::string name = "concordance_correlation";
  DType dtype = DType::f32;  // of the totals
  int axis = -1;

  void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,
              const MetricOptions& options) const;
  Tensor result(MetricState& state) const;

  template <class Self = ConcordanceCorrelation>
  static constexpr auto fields() {
    return std::tuple(field("name", &Self::name), field("dtype", &Self::dtype),
                      field("axis", &Self::axis));
  }
};

}  // namespace systolic::inline v0
