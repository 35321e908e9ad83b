#include "systolic/nn/optimizers/schedule_free_adamw.h"

#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

std::vector<OptimizerSlot> ScheduleFreeAdamW::slots(const Variable&) const {
  return {{.name = "momentum"}, {.name = "velocity"}};
}

Tensor ScheduleFreeAdamW::update(OptimizerStep& step, const Tensor& gradient,
                                 const Tensor& value) const {
  check_decay_rate(name, "beta_1", beta_1);
  check_decay_rate(name, "beta_2", beta_2);
  const Tensor t = step.number();
  Tensor rate = step.learning_rate();
  if (warmup_steps > 0) rate = rate * minimum(t / static_cast<double>(warmup_steps), 1.0);
  const Slot z = step.slot("momentum"), v = step.slot("velocity");
  // z starts where the variable does, before any decay.
  const Tensor z_now = where(equal(t, 1.0), step.variable().value(), z.value());
  const Tensor v_now = v.value();
  const Tensor v_next = v_now + (square(gradient) - v_now) * (1 - beta_2);
  v.assign(v_next);
  const Tensor spread = sqrt(v_next / (1.0 - pow(beta_2, t))) + epsilon;
  const Tensor z_next = z_now - rate * gradient / spread;
  z.assign(z_next);
  const Tensor x_now = (value - (1 - beta_1) * z_now) / beta_1;
  const Tensor x_next = x_now + (z_next - x_now) / t;
  return (1 - beta_1) * z_next + beta_1 * x_next;
}

}  // namespace systolic::inline v0
