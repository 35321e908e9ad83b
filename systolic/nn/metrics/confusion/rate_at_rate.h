// The best of one rate where another is at least a given number, over evenly spaced thresholds
// (keras.metrics).
//
//   .metrics = {RecallAtPrecision{.precision = 0.9}}
//   SensitivityAtSpecificity{.specificity = 0.8}, SpecificityAtSensitivity{.sensitivity = 0.8},
//   PrecisionAtRecall{.recall = 0.7}
//
// Sensitivity and recall are the share of the labels of 1 that are predicted, specificity that of
// the labels of 0, precision the share of the predictions that are right. y_true 0 or 1, y_pred in
// [0, 1], of one shape, or with class_id one class of the last axis. 0 where no threshold does. A
// number that is not from 0 to 1, and no threshold, are an InvalidArgument. Totals: four counts for
// each threshold.
#pragma once

#include <optional>

#include "systolic/nn/config/required.h"
#include "systolic/nn/metrics/metric.h"

namespace systolic::inline v0 {
namespace internal {

enum class Rate { sensitivity, specificity, precision };
// The rate whose largest is wanted, and the one that is to be `least`.
struct RateAtRate {
  Rate wanted, given;
  const char* field;
  double least;
  int64_t num_thresholds;
  std::optional<int64_t> class_id;
};
void update_counts(const RateAtRate& metric, const std::string& name, MetricState& state,
                   const Tensor& y_true, const Tensor& y_pred, const MetricOptions& options);
Tensor best_rate(const RateAtRate& metric, MetricState& state);

}  // namespace internal

#define SYSTOLIC_RATE_AT_RATE(Kind, wanted, given, field_name, text)                        \
  struct Kind {                                                                             \
    static constexpr const char* kind = #Kind;                                              \
    static constexpr bool uses_sample_weight = true;                                        \
    static constexpr bool larger_is_better = true;                                          \
    Required<double> field_name;                                                            \
    int64_t num_thresholds = 200;                                                           \
    std::optional<int64_t> class_id = {};                                                   \
    std::string name = text;                                                                \
    DType dtype = DType::f32;                                                               \
                                                                                            \
    void update(MetricState& state, const Tensor& y_true, const Tensor& y_pred,             \
                const MetricOptions& options) const {                                       \
      internal::update_counts(rates(), name, state, y_true, y_pred, options);               \
    }                                                                                       \
    Tensor result(MetricState& state) const { return internal::best_rate(rates(), state); } \
                                                                                            \
    template <class Self = Kind>                                                            \
    static constexpr auto fields() {                                                        \
      return std::tuple(field(#field_name, &Self::field_name),                              \
                        field("num_thresholds", &Self::num_thresholds),                     \
                        field("class_id", &Self::class_id), field("name", &Self::name),     \
                        field("dtype", &Self::dtype));                                      \
    }                                                                                       \
                                                                                            \
   private:                                                                                 \
    internal::RateAtRate rates() const {                                                    \
      return {internal::Rate::wanted,                                                       \
              internal::Rate::given,                                                        \
              #field_name,                                                                  \
              field_name,                                                                   \
              num_thresholds,                                                               \
              class_id};                                                                    \
    }                                                                                       \
  }

// The fields of each: the rate that is to be kept, how many thresholds are tried, and which class
// of the last axis counts.
SYSTOLIC_RATE_AT_RATE(SensitivityAtSpecificity, sensitivity, specificity, specificity,
                      "sensitivity_at_specificity");
SYSTOLIC_RATE_AT_RATE(SpecificityAtSensitivity, specificity, sensitivity, sensitivity,
                      "specificity_at_sensitivity");
SYSTOLIC_RATE_AT_RATE(PrecisionAtRecall, precision, sensitivity, recall, "precision_at_recall");
SYSTOLIC_RATE_AT_RATE(RecallAtPrecision, sensitivity, precision, precision, "recall_at_precision");

}  // namespace systolic::inline v0
