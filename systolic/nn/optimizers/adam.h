// Adam (Kingma and Ba 2015; keras.optimizers.Adam).
//
//   m += (gradient - m) (1 - beta_1);  v += (gradient^2 - v) (1 - beta_2)
//   value -= m * rate * sqrt(1 - beta_2^t) / (1 - beta_1^t) / (sqrt(v) + epsilon)
//
// amsgrad takes the largest v so far (Reddi et al. 2018).
#pragma once

#include "systolic/nn/optimizers/optimizer.h"

namespace systolic::inline v0 {

struct Adam {
  static constexpr const char* kind = "Adam";
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  bool amsgrad = false;
  // Each step also takes learning rate * weight_decay of each value away.
  std::optional<double> weight_decay = {};
  GradientClipping clipping = {};
  std::string name = "adam";
  // In a table that is only looked up (Embedding) a step moves the rows that it used, and their
  // state; the others stay as they are, where Adam would move them on by their momentum
  // (tfa.optimizers.LazyAdam). weight_decay, too, is of these rows.
  bool lazy_rows = false;
  // These six: see optimizer.h.
  std::vector<std::string> exclude_from_weight_decay = {};
  int64_t gradient_accumulation_steps = 1;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};

  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const;
  std::vector<OptimizerSlot> slots(const Variable& variable) const;

  template <class Self = Adam>
  static constexpr auto fields() {
    return std::tuple(field("learning_rate", &Self::learning_rate), field("beta_1", &Self::beta_1),
                      field("beta_2", &Self::beta_2), field("epsilon", &Self::epsilon),
                      field("amsgrad", &Self::amsgrad), field("weight_decay", &Self::weight_decay),
                      field("clipping", &Self::clipping), field("name", &Self::name),
                      field("lazy_rows", &Self::lazy_rows),
                      field("exclude_from_weight_decay", &Self::exclude_from_weight_decay),
                      field("gradient_accumulation_steps", &Self::gradient_accumulation_steps),
                      field("use_ema", &Self::use_ema), field("ema_momentum", &Self::ema_momentum),
                      field("ema_overwrite_frequency", &Self::ema_overwrite_frequency),
                      field("loss_scale_factor", &Self::loss_scale_factor));
  }
};

}  // namespace systolic::inline v0
