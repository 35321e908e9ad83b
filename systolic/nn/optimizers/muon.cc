#include "systolic/nn/optimizers/muon.h"

#include <algorithm>
#include <cmath>

#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/contraction.h"
#include "systolic/trace/ops/elementwise.h"
#include "systolic/trace/ops/reduction.h"
#include "systolic/trace/ops/shape_ops.h"

namespace systolic::inline v0 {
namespace {

// Newton and Schulz's iteration by a polynomial of degree five, on the wide form.
Tensor orthogonal_of(const Muon& rule, const Tensor& matrix) {
  const bool tall = matrix.shape()[0] > matrix.shape()[1];
  Tensor x = tall ? transpose(matrix) : matrix;
  x = x / (sqrt(sum(square(x))) + 1e-7);
  for (int64_t i = 0; i < rule.ns_steps; ++i) {
    const Tensor squares = matmul(x, x, {.transpose_b = true});
    const Tensor factor = rule.muon_b * squares + rule.muon_c * matmul(squares, squares);
    x = rule.muon_a * x + matmul(factor, x);
  }
  return tall ? transpose(x) : x;
}

Tensor adam_step(const Muon& rule, OptimizerStep& step, const Tensor& gradient,
                 const Tensor& value) {
  const Tensor alpha = step.scalar("alpha", [&] {
    const Tensor t = step.number_f32();
    return step.learning_rate_f32() * rule.adam_lr_ratio * sqrt(1.0 - pow(rule.adam_beta_2, t)) /
           (1.0 - pow(rule.adam_beta_1, t));
  });
  const Slot m = step.slot("momentum"), v = step.slot("velocity");
  const Tensor m_now = m.value(), v_now = v.value();
  const Tensor m_next = m_now + (gradient - m_now) * (1 - rule.adam_beta_1);
  const Tensor v_next = v_now + (square(gradient) - v_now) * (1 - rule.adam_beta_2);
  m.assign(m_next);
  v.assign(v_next);
  return value - m_next * alpha / (sqrt(v_next) + rule.epsilon);
}

}  // namespace

bool Muon::uses_adam(const Variable& variable) const {
  if (variable.shape().rank() != 2) return true;
  const std::string& full = variable.name();
  if (exclude_embeddings && full.find("embedding") != std::string::npos) return true;
  return std::any_of(exclude_layers.begin(), exclude_layers.end(),
                     [&](const std::string& part) { return full.find(part) != std::string::npos; });
}

std::optional<double> Muon::weight_decay_of(const Variable& variable) const {
  return uses_adam(variable) ? adam_weight_decay : weight_decay;
}

std::vector<OptimizerSlot> Muon::slots(const Variable& variable) const {
  if (!uses_adam(variable)) return {{.name = "momentum"}};
  return {{.name = "momentum"}, {.name = "velocity"}};
}

Tensor Muon::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  check_decay_rate(name, "adam_beta_1", adam_beta_1);
  check_decay_rate(name, "adam_beta_2", adam_beta_2);
  check_share(name, "momentum", momentum);
  if (uses_adam(step.variable())) return adam_step(*this, step, gradient, value);
  const Slot kept = step.slot("momentum");
  const Tensor m = gradient + kept.value() * momentum;
  kept.assign(m);
  const Tensor direction = nesterov ? gradient + momentum * m : m;
  const int64_t larger = std::max(value.shape()[0], value.shape()[1]);
  const double scale = rms_rate ? *rms_rate * std::sqrt(static_cast<double>(larger)) : 1;
  return value - step.learning_rate() * scale * orthogonal_of(*this, direction);
}

}  // namespace systolic::inline v0
