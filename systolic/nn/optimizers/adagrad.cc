#include "systolic/nn/optimizers/adagrad.h"

#include "systolic/nn/optimizers/optimizer_step.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

std::vector<OptimizerSlot> Adagrad::slots(const Variable&) const {
  return {{.name = "accumulator", .initial = initial_accumulator_value}};
}

Tensor Adagrad::update(OptimizerStep& step, const Tensor& gradient, const Tensor& value) const {
  const Slot accumulator = step.slot("accumulator");
  const Tensor next = accumulator.value() + square(gradient);
  accumulator.assign(next);
  return value - step.learning_rate() * gradient / sqrt(next + epsilon);
}

}  // namespace systolic::inline v0
