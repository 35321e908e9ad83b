// Follow the regularized leader (McMahan et al. 2013; keras.optimizers.Ftrl): for large sparse
// models, whose small weights l1 makes 0.
//
//   n' = n + gradient^2;  z += gradient + 2 shrinkage value - (n'^-p - n^-p) / rate * value
//   value = (clip(z, -l1, l1) - z) / (n'^-p / rate + 2 l2 + beta / rate),  p = learning_rate_power
//
// Strengths and the accumulator below 0, and a power above 0, are an InvalidArgument.
#pragma once

#include "systolic/nn/optimizers/optimizer.h"

namespace systolic::inline v0 {

struct Ftrl {
  static constexpr const char* kind = "Ftrl";
  LearningRate learning_rate = 0.001;
  double learning_rate_power = -0.5;
  double initial_accumulator_value = 0.1;
  double l1_regularization_strength = 0.0;
  double l2_regularization_strength = 0.0;
  double l2_shrinkage_regularization_strength = 0.0;
  double beta = 0.0;
  // Each step also takes learning rate * weight_decay of each value away.
  std::optional<double> weight_decay = {};
  GradientClipping clipping = {};
  std::string name = "ftrl";
  // These six: see optimizer.h.
  std::vector<std::string> exclude_from_weight_decay = {};
  int64_t gradient_accumulation_steps = 1;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};

  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const;
  std::vector<OptimizerSlot> slots(const Variable& variable) const;

  template <class Self = Ftrl>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("learning_rate", &Self::learning_rate),
                   field("learning_rate_power", &Self::learning_rate_power),
                   field("initial_accumulator_value", &Self::initial_accumulator_value),
                   field("l1_regularization_strength", &Self::l1_regularization_strength),
                   field("l2_regularization_strength", &Self::l2_regularization_strength),
                   field("l2_shrinkage_regularization_strength",
                         &Self::l2_shrinkage_regularization_strength),
                   field("beta", &Self::beta)),
        shared_optimizer_fields<Self>());
  }
};

}  // namespace systolic::inline v0
