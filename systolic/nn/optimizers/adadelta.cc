#include "systolic/nn/optimizers/adadelta.h"

#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

std::vector<OptimizerSlot> Adadelta::slots(const Variable&) const {
  return {{.name = "accumulated_grad"}, {.name = "accumulated_delta_var"}};
}

Tensor Adadelta::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  check_decay_rate(name, "rho", rho);
  const Slot gradients = step.slot("accumulated_grad");
  const Slot changes = step.slot("accumulated_delta_var");
  const Tensor next = rho * gradients.value() + (1 - rho) * square(gradient);
  gradients.assign(next);
  const Tensor so_far = changes.value();
  const Tensor change = -(sqrt(so_far + epsilon) * gradient / sqrt(next + epsilon));
  changes.assign(rho * so_far + (1 - rho) * square(change));
  return value + step.learning_rate() * change;
}

}  // namespace systolic::inline v0
