#include "systolic/nn/optimizers/adamax.h"

#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

std::vector<OptimizerSlot> Adamax::slots(const Variable&) const {
  return {{.name = "momentum"}, {.name = "norm"}};
}

Tensor Adamax::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  check_decay_rate(name, "beta_1", beta_1);
  check_decay_rate(name, "beta_2", beta_2);
  const Tensor rate = step.scalar(
      "rate", [&] { return step.learning_rate_f32() / (1.0 - pow(beta_1, step.number_f32())); });
  const Slot m = step.slot("momentum"), u = step.slot("norm");
  const Tensor m_now = m.value();
  const Tensor m_next = m_now + (gradient - m_now) * (1 - beta_1);
  const Tensor u_next = maximum(beta_2 * u.value(), abs(gradient));
  m.assign(m_next);
  u.assign(u_next);
  return value - rate * m_next / (u_next + epsilon);
}

}  // namespace systolic::inline v0
