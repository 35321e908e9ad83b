// Adam with Nesterov's momentum (Dozat 2015; keras.optimizers.Nadam).
//
//   u_t = beta_1 (1 - 0.96^t / 2), U_t the product of u_1 to u_t
//   value -= rate * (u_(t+1) m / (1 - U_(t+1)) + (1 - u_t) gradient / (1 - U_t))
//            / (sqrt(v / (1 - beta_2^t)) + epsilon)
#pragma once

#include "systolic/nn/optimizers/optimizer.h"

namespace systolic::inline v0 {

struct Nadam {
  static constexpr const char* kind = "Nadam";
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  // Each step also takes learning rate * weight_decay of each value away.
  std::optional<double> weight_decay = {};
  GradientClipping clipping = {};
  std::string name = "nadam";
  // These six: see optimizer.h.
  std::vector<std::string> exclude_from_weight_decay = {};
  int64_t gradient_accumulation_steps = 1;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};

  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const;
  std::vector<OptimizerSlot> slots(const Variable& variable) const;

  template <class Self = Nadam>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("learning_rate", &Self::learning_rate), field("beta_1", &Self::beta_1),
                   field("beta_2", &Self::beta_2), field("epsilon", &Self::epsilon)),
        shared_optimizer_fields<Self>());
  }
};

}  // namespace systolic::inline v0
