// Adadelta (Zeiler 2012; keras.optimizers.Adadelta): steps as large as those of late.
//
//   g2 = rho g2 + (1 - rho) gradient^2;  delta = -sqrt(d2 + epsilon) / sqrt(g2 + epsilon) *
//   gradient d2 = rho d2 + (1 - rho) delta^2;  value += rate * delta
//
// The paper's own rate is 1.
#pragma once

#include "systolic/nn/optimizers/optimizer.h"

namespace systolic::inline v0 {

struct Adadelta {
  static constexpr const char* kind = "Adadelta";
  LearningRate learning_rate = 0.001;
  double rho = 0.95;
  double epsilon = 1e-7;
  // Each step also takes learning rate * weight_decay of each value away.
  std::optional<double> weight_decay = {};
  GradientClipping clipping = {};
  std::string name = "adadelta";
  // These six: see optimizer.h.
  std::vector<std::string> exclude_from_weight_decay = {};
  int64_t gradient_accumulation_steps = 1;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};

  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const;
  std::vector<OptimizerSlot> slots(const Variable& variable) const;

  template <class Self = Adadelta>
  static constexpr auto fields() {
    return std::tuple_cat(std::tuple(field("learning_rate", &Self::learning_rate),
                                     field("rho", &Self::rho), field("epsilon", &Self::epsilon)),
                          shared_optimizer_fields<Self>());
  }
};

}  // namespace systolic::inline v0
