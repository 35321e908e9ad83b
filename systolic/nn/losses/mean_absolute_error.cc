#include "systolic/nn/losses/mean_absolute_error.h"

#include "systolic/nn/losses/float_pair.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor mean_absolute_error(const Tensor& y_true, const Tensor& y_pred) {
  const auto [labels, scores] = float_pair(y_true, y_pred, "mean_absolute_error");
  const Tensor losses = abs(scores - labels);
  return losses.rank() == 0 ? losses : mean(losses, {.axis = -1});
}

Tensor MeanAbsoluteError::values(const Tensor& y_true, const Tensor& y_pred) const {
  return mean_absolute_error(y_true, y_pred);
}

}  // namespace systolic::inline v0
