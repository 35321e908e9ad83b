#include "systolic/nn/optimizers/adam.h"

#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

std::vector<OptimizerSlot> Adam::slots(const Variable&) const {
  std::vector<OptimizerSlot> all{{.name = "momentum"}, {.name = "velocity"}};
  if (amsgrad) all.push_back({.name = "velocity_hat"});
  return all;
}

Tensor Adam::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  check_decay_rate(name, "beta_1", beta_1);
  check_decay_rate(name, "beta_2", beta_2);
  const Tensor alpha = step.scalar("alpha", [&] {
    const Tensor t = step.number_f32();
    return step.learning_rate_f32() * sqrt(1.0 - pow(beta_2, t)) / (1.0 - pow(beta_1, t));
  });
  const Slot m = step.slot("momentum"), v = step.slot("velocity");
  const Tensor m_now = m.value(), v_now = v.value();
  const Tensor m_next = m_now + (gradient - m_now) * (1 - beta_1);
  const Tensor v_next = v_now + (square(gradient) - v_now) * (1 - beta_2);
  m.assign(m_next);
  v.assign(v_next);
  Tensor spread = v_next;
  if (amsgrad) {
    const Slot largest = step.slot("velocity_hat");
    spread = maximum(largest.value(), v_next);
    largest.assign(spread);
  }
  return value - m_next * alpha / (sqrt(spread) + epsilon);
}

}  // namespace systolic::inline v0
