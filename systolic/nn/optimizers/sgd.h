// Gradient descent, with momentum (keras.optimizers.SGD).
//
//   velocity = momentum * velocity - rate * gradient;  value += velocity
//   nesterov: value += momentum * velocity - rate * gradient
#pragma once

#include "systolic/nn/optimizers/optimizer.h"

namespace systolic::inline v0 {

struct SGD {
  static constexpr const char* kind = "SGD";
  LearningRate learning_rate = 0.01;
  double momentum = 0.0;
  bool nesterov = false;
  // Each step also takes learning rate * weight_decay of each value away.
  std::optional<double> weight_decay = {};
  GradientClipping clipping = {};
  std::string name = "SGD";
  // These six: see optimizer.h.
  std::vector<std::string> exclude_from_weight_decay = {};
  int64_t gradient_accumulation_steps = 1;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};

  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const;
  std::vector<OptimizerSlot> slots(const Variable& variable) const;

  template <class Self = SGD>
  static constexpr auto fields() {
    return std::tuple(field("learning_rate", &Self::learning_rate),
                      field("momentum", &Self::momentum), field("nesterov", &Self::nesterov),
                      field("weight_decay", &Self::weight_decay),
                      field("clipping", &Self::clipping), field("name", &Self::name),
                      field("exclude_from_weight_decay", &Self::exclude_from_weight_decay),
                      field("gradient_accumulation_steps", &Self::gradient_accumulation_steps),
                      field("use_ema", &Self::use_ema), field("ema_momentum", &Self::ema_momentum),
                      field("ema_overwrite_frequency", &Self::ema_overwrite_frequency),
                      field("loss_scale_factor", &Self::loss_scale_factor));
  }
};

}  // namespace systolic::inline v0
