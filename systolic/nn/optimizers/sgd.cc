#include "systolic/nn/optimizers/sgd.h"

#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

std::vector<OptimizerSlot> SGD::slots(const Variable&) const {
  if (momentum == 0) return {};
  return {{.name = "momentum"}};
}

Tensor SGD::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  check_share(name, "momentum", momentum);
  const Tensor change = gradient * step.learning_rate();
  if (momentum == 0) return value - change;
  const Slot velocity = step.slot("momentum");
  const Tensor next = momentum * velocity.value() - change;
  velocity.assign(next);
  return nesterov ? value + (momentum * next - change) : value + next;
}

}  // namespace systolic::inline v0
