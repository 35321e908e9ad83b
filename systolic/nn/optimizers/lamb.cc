#include "systolic/nn/optimizers/lamb.h"

#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"

namespace systolic::inline v0 {

std::vector<OptimizerSlot> Lamb::slots(const Variable&) const {
  return {{.name = "momentum"}, {.name = "velocity"}};
}

Tensor Lamb::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  check_decay_rate(name, "beta_1", beta_1);
  check_decay_rate(name, "beta_2", beta_2);
  const Tensor m_scale =
      step.scalar("m_scale", [&] { return 1.0 / (1.0 - pow(beta_1, step.number_f32())); });
  const Tensor v_scale =
      step.scalar("v_scale", [&] { return 1.0 / (1.0 - pow(beta_2, step.number_f32())); });
  const Slot m = step.slot("momentum"), v = step.slot("velocity");
  const Tensor m_now = m.value(), v_now = v.value();
  const Tensor m_next = m_now + (gradient - m_now) * (1 - beta_1);
  const Tensor v_next = v_now + (square(gradient) - v_now) * (1 - beta_2);
  m.assign(m_next);
  v.assign(v_next);
  const Tensor update = m_next * m_scale / (sqrt(v_next * v_scale) + epsilon);
  const Tensor value_norm = sqrt(sum(square(value))), update_norm = sqrt(sum(square(update)));
  const Tensor both = logical_and(value_norm > 0, update_norm > 0);
  const Tensor ratio = where(both, value_norm / where(both, update_norm, 1.0), 1.0);
  return value - ratio * step.learning_rate() * update;
}

}  // namespace systolic::inline v0
