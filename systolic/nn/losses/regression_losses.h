// Losses of numbers beside numbers (keras.losses): the mean over the last axis, [batch, ..., n] ->
// [batch, ...].
//
//   MeanAbsolutePercentageError{}     100 |y - p| / max(|y|, 1e-7)
//   MeanSquaredLogarithmicError{}     (log(max(p, 1e-7) + 1) - log(max(y, 1e-7) + 1))^2
//   LogCosh{}                         log(cosh(p - y)), as (p - y) + softplus(2 y - 2 p) - log 2
//   Poisson{}                         p - y log(p + 1e-7): p is a rate, 0 or more
//
// Labels and predictions of other shapes are an InvalidArgument. Each is a metric, too:
// .metrics = {"mape"}.
#pragma once

#include "systolic/nn/losses/plain_loss.h"

namespace systolic::inline v0 {

// Mean over the last axis of 100 |y - p| / max(|y|, 1e-7): percent.
Tensor mean_absolute_percentage_error(const Tensor& y_true, const Tensor& y_pred);
// Mean over the last axis of (log(max(p, 1e-7) + 1) - log(max(y, 1e-7) + 1))^2.
Tensor mean_squared_logarithmic_error(const Tensor& y_true, const Tensor& y_pred);
// Mean over the last axis of log(cosh(p - y)): a square near 0, an absolute value far from it.
Tensor log_cosh(const Tensor& y_true, const Tensor& y_pred);
// Mean over the last axis of p - y log(p + 1e-7), for counts y and a predicted rate p.
Tensor poisson(const Tensor& y_true, const Tensor& y_pred);

namespace internal {

struct MeanAbsolutePercentageErrorRule {
  static constexpr const char* kind = "MeanAbsolutePercentageError";
  static constexpr const char* name = "mean_absolute_percentage_error";
  static constexpr auto values = mean_absolute_percentage_error;
};
struct MeanSquaredLogarithmicErrorRule {
  static constexpr const char* kind = "MeanSquaredLogarithmicError";
  static constexpr const char* name = "mean_squared_logarithmic_error";
  static constexpr auto values = mean_squared_logarithmic_error;
};
struct LogCoshRule {
  static constexpr const char* kind = "LogCosh";
  static constexpr const char* name = "log_cosh";
  static constexpr auto values = log_cosh;
};
struct PoissonRule {
  static constexpr const char* kind = "Poisson";
  static constexpr const char* name = "poisson";
  static constexpr auto values = poisson;
};

}  // namespace internal

using MeanAbsolutePercentageError = PlainLoss<internal::MeanAbsolutePercentageErrorRule>;
using MeanSquaredLogarithmicError = PlainLoss<internal::MeanSquaredLogarithmicErrorRule>;
using LogCosh = PlainLoss<internal::LogCoshRule>;
using Poisson = PlainLoss<internal::PoissonRule>;

}  // namespace systolic::inline v0
