#include "systolic/nn/losses/huber.h"

#include "systolic/nn/losses/float_pair.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

Tensor huber(const Tensor& y_true, const Tensor& y_pred, double delta) {
  const auto [labels, scores] = float_pair(y_true, y_pred, "huber");
  const Tensor distance = abs(scores - labels);
  const Tensor losses = where(Operand(distance) <= delta, 0.5 * square(distance),
                              delta * distance - 0.5 * delta * delta);
  return losses.rank() == 0 ? losses : mean(losses, {.axis = -1});
}

Tensor Huber::values(const Tensor& y_true, const Tensor& y_pred) const {
  return huber(y_true, y_pred, delta);
}

}  // namespace systolic::inline v0
