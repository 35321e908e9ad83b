// Scales the loss so that gradients in f16 neither vanish nor overflow
// (keras.optimizers.LossScaleOptimizer; Micikevicius et al. 2018).
//
//   set_global_policy("mixed_float16");
//   model.compile({.optimizer = LossScaleOptimizer{.inner_optimizer = Adam{}}, .loss = "mse"});
//
// The loss is multiplied by a scale, which scale_loss gives, and apply_gradients divides by it. A
// step whose gradients are not all finite changes nothing but the scale, which is halved;
// dynamic_growth_steps finite ones in a row double it. Handles of the inner optimizer are then
// handles of this one. compile() wraps its optimizer so under
// "mixed_float16" (auto_scale_loss). An inner optimizer that wraps others is an InvalidArgument,
// and so are an initial_scale and dynamic_growth_steps that are not above 0.
#pragma once

#include "systolic/nn/optimizers/optimizer.h"

namespace systolic::inline v0 {

struct LossScaleOptimizer {
  static constexpr const char* kind = "LossScaleOptimizer";
  Optimizer inner_optimizer;
  double initial_scale = 32768;
  int64_t dynamic_growth_steps = 2000;
  std::string name = "loss_scale_optimizer";
};

}  // namespace systolic::inline v0
