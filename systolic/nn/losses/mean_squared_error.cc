#include "systolic/nn/losses/mean_squared_error.h"

#include "systolic/nn/losses/float_pair.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor mean_squared_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto [labels, scores] = float_pair(y_true, y_pred, "mean_squared_error");
  const Tensor losses = square(scores - labels);
  return losses.rank() == 0 ? losses : mean(losses, {.axis = -1});
}

Tensor MeanSquaredError::values(const Tensor& y_true, const Tensor& y_pred) const {
  return mean_squared_error(y_true, y_pred);
}

}  // namespace systolic::inline v0
