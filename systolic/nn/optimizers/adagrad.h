// Adagrad (Duchi et al. 2011; keras.optimizers.Adagrad).
//
//   accumulator += gradient^2;  value -= rate * gradient / sqrt(accumulator + epsilon)
#pragma once

#include "systolic/nn/optimizers/optimizer.h"

namespace systolic::inline v0 {

struct Adagrad {
  static constexpr const char* kind = "Adagrad";
  LearningRate learning_rate = 0.001;
  double initial_accumulator_value = 0.1;
  double epsilon = 1e-7;
  // Each step also takes learning rate * weight_decay of each value away.
  std::optional<double> weight_decay = {};
  GradientClipping clipping = {};
  std::string name = "adagrad";
  // These six: see optimizer.h.
  std::vector<std::string> exclude_from_weight_decay = {};
  int64_t gradient_accumulation_steps = 1;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};

  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const;
  std::vector<OptimizerSlot> slots(const Variable& variable) const;

  template <class Self = Adagrad>
  static constexpr auto fields() {
    return std::tuple(field("learning_rate", &Self::learning_rate),
                      field("initial_accumulator_value", &Self::initial_accumulator_value),
                      field("epsilon", &Self::epsilon), field("weight_decay", &Self::weight_decay),
                      field("clipping", &Self::clipping), field("name", &Self::name),
                      field("exclude_from_weight_decay", &Self::exclude_from_weight_decay),
                      field("gradient_accumulation_steps", &Self::gradient_accumulation_steps),
                      field("use_ema", &Self::use_ema), field("ema_momentum", &Self::ema_momentum),
                      field("ema_overwrite_frequency", &Self::ema_overwrite_frequency),
                      field("loss_scale_factor", &Self::loss_scale_factor));
  }
};

}  // namespace systolic::inline v0
