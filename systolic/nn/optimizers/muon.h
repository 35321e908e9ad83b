// Muon: momentum made orthogonal, for the matrices inside a network (Jordan et al. 2024;
// keras.optimizers.Muon). Variables of another rank than 2, embeddings and those of exclude_layers
// are updated by Adam, at adam_lr_ratio times the rate and with adam_weight_decay.
//
//   m = momentum m + gradient;  g = gradient + momentum m (nesterov), or m
//   value -= rate * rms_rate * sqrt(max(rows, columns)) * orthogonal(g)
//
// orthogonal(g) is g / |g| after ns_steps of x = a x + (b x x' + c (x x')^2) x, which brings all
// its singular values near 1.
#pragma once

#include "systolic/nn/optimizers/optimizer.h"

namespace systolic::inline v0 {

struct Muon {
  static constexpr const char* kind = "Muon";
  LearningRate learning_rate = 0.001;
  double adam_beta_1 = 0.9;
  double adam_beta_2 = 0.999;
  std::optional<double> adam_weight_decay = 0.004;
  double epsilon = 1e-7;  // of Adam
  // Parts of variables' names, such as "output/".
  std::vector<std::string> exclude_layers = {};
  bool exclude_embeddings = true;  // what has "embedding" in its name
  double muon_a = 3.4445;
  double muon_b = -4.775;
  double muon_c = 2.0315;
  double adam_lr_ratio = 1;
  double momentum = 0.95;
  int64_t ns_steps = 5;
  bool nesterov = true;
  std::optional<double> rms_rate = 0.2;  // none: without that factor and the root
  // Each step also takes learning rate * weight_decay of each value away.
  std::optional<double> weight_decay = 0.004;
  GradientClipping clipping = {};
  std::string name = "muon";
  // These six: see optimizer.h.
  std::vector<std::string> exclude_from_weight_decay = {};
  int64_t gradient_accumulation_steps = 1;
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};

  Tensor update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const;
  std::vector<OptimizerSlot> slots(const Variable& variable) const;
  // What a variable of that name and shape has.
  std::optional<double> weight_decay_of(const Variable& variable) const;
  bool uses_adam(const Variable& variable) const;

  template <class Self = Muon>
  static constexpr auto fields() {
    return std::tuple_cat(
        std::tuple(field("learning_rate", &Self::learning_rate),
                   field("adam_beta_1", &Self::adam_beta_1),
                   field("adam_beta_2", &Self::adam_beta_2),
                   field("adam_weight_decay", &Self::adam_weight_decay),
                   field("epsilon", &Self::epsilon), field("exclude_layers", &Self::exclude_layers),
                   field("exclude_embeddings", &Self::exclude_embeddings),
                   field("muon_a", &Self::muon_a), field("muon_b", &Self::muon_b),
                   field("muon_c", &Self::muon_c), field("adam_lr_ratio", &Self::adam_lr_ratio),
                   field("momentum", &Self::momentum), field("ns_steps", &Self::ns_steps),
                   field("nesterov", &Self::nesterov), field("rms_rate", &Self::rms_rate)),
        shared_optimizer_fields<Self>());
  }
};

}  // namespace systolic::inline v0
