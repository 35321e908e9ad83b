// AdamW without a schedule (Defazio et al. 2024; keras.optimizers.ScheduleFreeAdamW): steps are
// taken by z, and the value is between z and the mean x of all z so far.
//
//   z -= rate * gradient / (sqrt(v / (1 - beta_2^t)) + epsilon)
//   x = (1 - 1 / t) x + z / t;  value = (1 - beta_1) z + beta_1 x
//
// z starts where the variable is at the first update. Keras's starts where it is when the optimizer
// is built, which differs where a constraint moves the variable while gradients are gathered for
// the first update. The rate grows from 0 over warmup_steps. The weights are those to train; x is
// (value - (1 - beta_1) z) / beta_1.
#pragma once

#include "systolic/nn/optimizers/optimizer.h"

namespace systolic::inline v0 {

struct ScheduleFreeAdamW {
  static constexpr const char* kind = "ScheduleFreeAdamW";
  LearningRate learning_rate = 0.0025;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-8;
  int64_t warmup_steps = 0;
  // Each step also takes learning rate * weight_decay of each value away.
  std::optional<double> weight_decay = {};
  GradientClipping clipping = {};
  std::string name = "schedule_free_adamw";
  // These six: see optimizer.h.
  std::vector<std::string> exclude_from_weight_decay = {};
  int64_t gradient_accumulation_steps = 1;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};

  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const;
  std::vector<OptimizerSlot> slots(const Variable& variable) const;

  template <class Self = ScheduleFreeAdamW>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("learning_rate", &Self::learning_rate), field("beta_1", &Self::beta_1),
                   field("beta_2", &Self::beta_2), field("epsilon", &Self::epsilon),
                   field("warmup_steps", &Self::warmup_steps)),
        shared_optimizer_fields<Self>());
  }
};

}  // namespace systolic::inline v0
