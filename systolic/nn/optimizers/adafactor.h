// Adafactor (Shazeer and Stern 2018; keras.optimizers.Adafactor): of the squared gradients of a
// matrix it keeps the means of rows and columns alone.
//
//   value -= max(epsilon_2, rms(value)) * min(rate, 1 / sqrt(t)) * u / max(1, rms(u) /
//   clip_threshold) u = gradient / sqrt(v), v of the means so far, with beta_2 = 1 - t^beta_2_decay
#pragma once

#include "systolic/nn/optimizers/optimizer.h"

namespace systolic::inline v0 {

struct Adafactor {
  static constexpr const char* kind = "Adafactor";
  LearningRate learning_rate = 0.001;
  double beta_2_decay = -0.8;
  double epsilon_1 = 1e-30;  // beside squared gradients
  double epsilon_2 = 1e-3;   // the least size of a variable
  double clip_threshold = 1.0;
  // As in Keras 3.15, where the rate is limited to 1 / sqrt(t) with false, too.
  bool relative_step = true;
  // Each step also takes learning rate * weight_decay of each value away.
  std::optional<double> weight_decay = {};
  GradientClipping clipping = {};
  std::string name = "adafactor";
  // These six: see optimizer.h.
  std::vector<std::string> exclude_from_weight_decay = {};
  int64_t gradient_accumulation_steps = 1;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};

  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const;
  std::vector<OptimizerSlot> slots(const Variable& variable) const;

  template <class Self = Adafactor>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("learning_rate", &Self::learning_rate),
                   field("beta_2_decay", &Self::beta_2_decay), field("epsilon_1", &Self::epsilon_1),
                   field("epsilon_2", &Self::epsilon_2),
                   field("clip_threshold", &Self::clip_threshold),
                   field("relative_step", &Self::relative_step)),
        shared_optimizer_fields<Self>());
  }
};

}  // namespace systolic::inline v0
