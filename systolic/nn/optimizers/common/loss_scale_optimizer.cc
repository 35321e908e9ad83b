#include "systolic/nn/optimizers/common/loss_scale_optimizer.h"

#include <cmath>

#include "systolic/base/error.h"
#include "systolic/nn/optimizers/common/loss_scale.h"
#include "systolic/nn/optimizers/optimizer_state.h"

namespace systolic::inline v0 {
namespace {

void check_scale(const LossScaleOptimizer& spec, SourceLocation location) {
  if (!(spec.initial_scale > 0) || !std::isfinite(spec.initial_scale)) {
    raise<InvalidArgument>(
        {.what = str("LossScaleOptimizer: initial_scale is ", spec.initial_scale),
         .wanted = "a finite number above 0",
         .location = location});
  }
  if (spec.dynamic_growth_steps >= 1 && spec.dynamic_growth_steps <= INT32_MAX) return;
  raise<InvalidArgument>(
      {.what = str("LossScaleOptimizer: dynamic_growth_steps is ", spec.dynamic_growth_steps),
       .wanted = "1 or more",
       .location = location});
}

Variable state_variable(DType dtype, const char* name, double initial) {
  return Variable(dtype, {}, [=] { return Literal::filled(dtype, {}, initial); },
                  {.name = name, .trainable = false, .role = ir::Role::optimizer_state});
}

}  // namespace

Optimizer::Optimizer(LossScaleOptimizer spec, SourceLocation location) {
  check_scale(spec, location);
  state_ = spec.inner_optimizer.state();
  if (state_->dynamic_scale || state_->inner_of) {
    raise<InvalidArgument>({.what = str("LossScaleOptimizer of ", spec.inner_optimizer.name()),
                            .wanted = "an optimizer that wraps no others",
                            .location = location});
  }
  OptimizerRule& rule = state_->rule;
  check_no_lazy_rows(rule, "LossScaleOptimizer", location);
  rule.loss_scale_factor.reset();
  rule.name = spec.name;
  rule.config = [inner = rule.config, scale = spec.initial_scale, steps = spec.dynamic_growth_steps,
                 name = spec.name] {
    Config values, result;
    values.set("inner_optimizer", inner());
    values.set("initial_scale", scale);
    values.set("dynamic_growth_steps", steps);
    values.set("name", name);
    result.set("class_name", LossScaleOptimizer::kind);
    result.set("config", std::move(values));
    return result;
  };
  state_->dynamic_scale = {.initial = spec.initial_scale,
                           .growth_steps = spec.dynamic_growth_steps,
                           .scale = state_variable(DType::f32, "dynamic_scale", spec.initial_scale),
                           .counter = state_variable(DType::i32, "step_counter", 0)};
}

}  // namespace systolic::inline v0
