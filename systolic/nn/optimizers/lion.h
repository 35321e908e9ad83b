// Lion: the sign of a momentum (Chen et al. 2023; keras.optimizers.Lion). Wants a rate of a third
// to a tenth of Adam's.
//
//   value -= rate * sign(beta_1 m + (1 - beta_1) gradient);  m = beta_2 m + (1 - beta_2) gradient
#pragma once

#include "systolic/nn/optimizers/optimizer.h"

namespace systolic::inline v0 {

struct Lion {
  static constexpr const char* kind = "Lion";
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.99;
  // Each step also takes learning rate * weight_decay of each value away.
  std::optional<double> weight_decay = {};
  GradientClipping clipping = {};
  std::string name = "lion";
  // These six: see optimizer.h.
  std::vector<std::string> exclude_from_weight_decay = {};
  int64_t gradient_accumulation_steps = 1;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};

  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const;
  std::vector<OptimizerSlot> slots(const Variable& variable) const;

  template <class Self = Lion>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("learning_rate", &Self::learning_rate), field("beta_1", &Self::beta_1),
                   field("beta_2", &Self::beta_2)),
        shared_optimizer_fields<Self>());
  }
};

}  // namespace systolic::inline v0
