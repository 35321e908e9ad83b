#include "systolic/nn/optimizers/schedules/inverse_time_decay.h"

#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor InverseTimeDecay::operator()(const Tensor& step) const {
  check_decay_steps(kind, decay_steps);
  check_learning_rate(kind, "initial_learning_rate", initial_learning_rate);
  Tensor times = step / static_cast<double>(decay_steps.get());
  if (staircase) times = floor(times);
  return initial_learning_rate.get() / (1.0 + decay_rate.get() * times);
}

}  // namespace systolic::inline v0
