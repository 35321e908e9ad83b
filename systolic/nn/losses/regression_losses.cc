#include "systolic/nn/losses/regression_losses.h"

#include <numbers>

#include "systolic/nn/losses/crossentropy_options.h"
#include "systolic/nn/losses/float_pair.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor mean_absolute_percentage_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto [labels, scores] = float_pair(y_true, y_pred, "mean_absolute_percentage_error");
  const Tensor size = maximum(abs(labels), crossentropy_epsilon);
  return 100.0 * mean_of_last(abs((labels - scores) / size));
}

Tensor mean_squared_logarithmic_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto [labels, scores] = float_pair(y_true, y_pred, "mean_squared_logarithmic_error");
  const auto logarithm = [](const Tensor& x) {
    return log(maximum(x, crossentropy_epsilon) + 1.0);
  };
  return mean_of_last(square(logarithm(scores) - logarithm(labels)));
}

Tensor log_cosh(const Tensor& y_true, const Tensor& y_pred) {
  const auto [labels, scores] = float_pair(y_true, y_pred, "log_cosh");
  const Tensor x = scores - labels;
  return mean_of_last(x + softplus(x * -2.0) - std::numbers::ln2);
}

Tensor poisson(const Tensor& y_true, const Tensor& y_pred) {
  const auto [labels, rates] = float_pair(y_true, y_pred, "poisson");
  return mean_of_last(rates - labels * log(rates + crossentropy_epsilon));
}

}  // namespace systolic::inline v0
