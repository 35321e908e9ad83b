#include "systolic/nn/optimizers/ftrl.h"

#include "systolic/base/error.h"
#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {
namespace {

void check_ftrl(const Ftrl& rule) {
  const std::pair<const char*, double> not_negative[] = {
      {"initial_accumulator_value", rule.initial_accumulator_value},
      {"l1_regularization_strength", rule.l1_regularization_strength},
      {"l2_regularization_strength", rule.l2_regularization_strength},
      {"l2_shrinkage_regularization_strength", rule.l2_shrinkage_regularization_strength},
      {"learning_rate_power, turned round,", -rule.learning_rate_power}};
  for (const auto& [field, value] : not_negative) {
    if (value >= 0) continue;
    raise<InvalidArgument>(
        {.what = str(rule.name, ": ", field, " is ", value), .wanted = "0 or more"});
  }
}

}  // namespace

std::vector<OptimizerSlot> Ftrl::slots(const Variable&) const {
  return {{.name = "accumulator", .initial = initial_accumulator_value}, {.name = "linear"}};
}

Tensor Ftrl::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  check_ftrl(*this);
  const Slot accumulator = step.slot("accumulator");
  const Slot linear = step.slot("linear");
  const Tensor rate = step.learning_rate();
  const Tensor now = accumulator.value(), next = now + square(gradient);
  const auto raised = [&](const Tensor& x) { return pow(x, -learning_rate_power); };
  const Tensor used = gradient + 2 * l2_shrinkage_regularization_strength * value;
  const Tensor sum = linear.value() + (used - (raised(next) - raised(now)) / rate * value);
  linear.assign(sum);
  accumulator.assign(next);
  const Tensor l2 = l2_regularization_strength + beta / (2.0 * rate);
  const Tensor quadratic = raised(next) / rate + 2.0 * l2;
  const double l1 = l1_regularization_strength;
  return (clip(sum, -l1, l1) - sum) / quadratic;
}

}  // namespace systolic::inline v0
