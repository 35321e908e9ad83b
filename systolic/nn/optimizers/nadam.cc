#include "systolic/nn/optimizers/nadam.h"

#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

std::vector<OptimizerSlot> Nadam::slots(const Variable&) const {
  return {{.name = "momentum_product", .initial = 1, .shape = Shape{}},
          {.name = "momentum"},
          {.name = "velocity"}};
}

Tensor Nadam::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  check_decay_rate(name, "beta_1", beta_1);
  check_decay_rate(name, "beta_2", beta_2);
  // The momentum of a step: less in the first ones.
  const auto momentum_at = [&](const Tensor& t) { return beta_1 * (1.0 - 0.5 * pow(0.96, t)); };
  const Tensor t = step.number();
  const Tensor now = momentum_at(t), after = momentum_at(t + 1.0);
  const Slot product = step.slot("momentum_product");
  const Tensor so_far = product.value() * now;
  product.assign(so_far);
  const Slot m = step.slot("momentum"), v = step.slot("velocity");
  const Tensor m_now = m.value(), v_now = v.value();
  const Tensor m_next = m_now + (gradient - m_now) * (1 - beta_1);
  const Tensor v_next = v_now + (square(gradient) - v_now) * (1 - beta_2);
  m.assign(m_next);
  v.assign(v_next);
  const Tensor m_hat =
      after * m_next / (1.0 - so_far * after) + (1.0 - now) * gradient / (1.0 - so_far);
  const Tensor v_hat = v_next / (1.0 - pow(beta_2, t));
  return value - step.learning_rate() * m_hat / (sqrt(v_hat) + epsilon);
}

}  // namespace systolic::inline v0
