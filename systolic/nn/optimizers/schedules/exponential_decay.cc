#include "systolic/nn/optimizers/schedules/exponential_decay.h"

#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor ExponentialDecay::operator()(const Tensor& step) const {
  check_decay_steps(kind, decay_steps);
  check_learning_rate(kind, "initial_learning_rate", initial_learning_rate);
  Tensor exponent = step / static_cast<double>(decay_steps.get());
  if (staircase) exponent = floor(exponent);
  return initial_learning_rate.get() * pow(decay_rate.get(), exponent);
}

}  // namespace systolic::inline v0
