#include "systolic/nn/optimizers/rmsprop.h"

#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

std::vector<OptimizerSlot> RMSprop::slots(const Variable&) const {
  std::vector<OptimizerSlot> all{{.name = "velocity"}};
  if (centered) all.push_back({.name = "average_gradient"});
  if (momentum != 0) all.push_back({.name = "momentum"});
  return all;
}

Tensor RMSprop::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  check_decay_rate(name, "rho", rho);
  check_share(name, "momentum", momentum);
  const Slot velocity = step.slot("velocity");
  const Tensor next = rho * velocity.value() + (1 - rho) * square(gradient);
  velocity.assign(next);
  Tensor spread = next + epsilon;
  if (centered) {
    const Slot average = step.slot("average_gradient");
    const Tensor mean = rho * average.value() + (1 - rho) * gradient;
    average.assign(mean);
    spread = next - square(mean) + epsilon;
  }
  const Tensor change = step.learning_rate() * gradient / sqrt(spread);
  if (momentum == 0) return value - change;
  const Slot kept = step.slot("momentum");
  const Tensor sum = momentum * kept.value() + change;
  kept.assign(sum);
  return value - sum;
}

}  // namespace systolic::inline v0
