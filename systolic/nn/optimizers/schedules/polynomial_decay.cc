#include "systolic/nn/optimizers/schedules/polynomial_decay.h"

#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor PolynomialDecay::operator()(const Tensor& step) const {
  check_decay_steps(kind, decay_steps);
  check_learning_rate(kind, "initial_learning_rate", initial_learning_rate);
  check_learning_rate(kind, "end_learning_rate", end_learning_rate);
  const double length = static_cast<double>(decay_steps.get()), end = end_learning_rate;
  const Tensor done =
      cycle ? step / (length * maximum(ceil(step / length), 1.0)) : minimum(step, length) / length;
  const Tensor left = power == 1 ? 1.0 - done : pow(1.0 - done, power);
  return (initial_learning_rate.get() - end) * left + end;
}

}  // namespace systolic::inline v0
