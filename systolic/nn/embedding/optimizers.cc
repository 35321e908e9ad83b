#include "systolic/nn/embedding/optimizers.h"

#include <cmath>

#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/trace/ops/creation.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {
namespace tpu::experimental::embedding {

std::vector<OptimizerSlot> SGD::slots(const Variable&) const { return {}; }

Tensor SGD::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  return value - step.learning_rate() * gradient;
}

std::vector<OptimizerSlot> Adagrad::slots(const Variable&) const {
  return {{.name = "accumulator", .initial = initial_accumulator_value}};
}

Tensor Adagrad::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  const Slot accumulator = step.slot("accumulator");
  const Tensor next = accumulator.value() + square(gradient);
  accumulator.assign(next);
  return value - step.learning_rate() * gradient / sqrt(next);
}

std::vector<OptimizerSlot> AdagradMomentum::slots(const Variable&) const {
  return {{.name = "accumulator"}, {.name = "momenta"}};
}

Tensor AdagradMomentum::update(OptimizerStep& step, const Tensor& gradient,
                               const Tensor& value) const {
  const Slot accumulator = step.slot("accumulator"), momenta = step.slot("momenta");
  const Tensor before = accumulator.value();
  const Tensor next =
      beta2 == 1 ? before + square(gradient) : beta2 * before + (1 - beta2) * square(gradient);
  accumulator.assign(next);
  const Tensor scaled = gradient * pow(next + epsilon, -1 / exponent);
  const Tensor moved = momentum * momenta.value() + scaled;
  momenta.assign(moved);
  return value - step.learning_rate() * (use_nesterov ? momentum * moved + scaled : moved);
}

std::vector<OptimizerSlot> FTRL::slots(const Variable&) const {
  return {{.name = "accumulator", .initial = initial_accumulator_value}, {.name = "linear"}};
}

Tensor FTRL::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  const Slot accumulator = step.slot("accumulator");
  const Slot linear = step.slot("linear");
  const Tensor rate = step.learning_rate();
  const Tensor before = accumulator.value(), next = before + square(gradient);
  const auto power = [&](const Tensor& x) {
    return learning_rate_power == -0.5 ? sqrt(x) : pow(x, -learning_rate_power);
  };
  const Tensor root = power(next), change = (root - power(before)) * value;
  // The same quotient, its two sides multiplied by the rate or not.
  const bool scaled = multiply_linear_by_learning_rate;
  const Tensor now =
      linear.value() + (scaled ? gradient * rate - change : gradient - change / rate);
  const Tensor denominator = scaled ? root + beta + 2 * l2_regularization_strength * rate
                                    : (root + beta) / rate + 2 * l2_regularization_strength;
  accumulator.assign(next);
  linear.assign(now);
  if (l1_regularization_strength == 0) return -now / denominator;
  const Tensor limit =
      scaled ? rate * l1_regularization_strength : ones_like(rate) * l1_regularization_strength;
  return where(abs(now) > limit, (sign(now) * limit - now) / denominator, zeros_like(value));
}

std::vector<OptimizerSlot> Adam::slots(const Variable&) const {
  return {{.name = "momentum"}, {.name = "velocity"}};
}

Tensor Adam::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  const Tensor alpha = step.scalar("alpha", [&] {
    // 1 - beta^t, of which f32 would keep few digits where beta is close to 1.
    const auto forgotten = [&](double beta) { return -expm1(step.number_f32() * std::log(beta)); };
    return step.learning_rate_f32() * sqrt(forgotten(beta_2)) / forgotten(beta_1);
  });
  const Slot m = step.slot("momentum"), v = step.slot("velocity");
  const Tensor m_now = m.value(), v_now = v.value();
  const Tensor m_next = m_now + (gradient - m_now) * (1 - beta_1);
  const Tensor v_next = v_now + (square(gradient) - v_now) * (1 - beta_2);
  m.assign(m_next);
  v.assign(v_next);
  const Tensor spread = sum_inside_sqrt ? sqrt(v_next + epsilon * epsilon) : sqrt(v_next) + epsilon;
  return value - m_next * alpha / spread;
}

}  // namespace tpu::experimental::embedding
}  // namespace systolic::inline v0
