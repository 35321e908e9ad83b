#include "systolic/nn/optimizers/schedules/cosine_decay.h"

#include <numbers>

#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor CosineDecay::operator()(const Tensor& step) const {
  check_decay_steps(kind, decay_steps);
  check_learning_rate(kind, "initial_learning_rate", initial_learning_rate);
  check_learning_rate(kind, "warmup_target", warmup_target.value_or(0));
  const double warmup = warmup_target ? static_cast<double>(warmup_steps) : 0;
  const double length = static_cast<double>(decay_steps.get());
  const double top = warmup_target.value_or(initial_learning_rate.get());
  const Tensor done = clip(step - warmup, 0.0, length) / length;
  const Tensor decayed = top * ((1 - alpha) * 0.5 * (1.0 + cos(std::numbers::pi * done)) + alpha);
  if (warmup == 0) return decayed;
  const double start = initial_learning_rate;
  return where(step < warmup, start + (top - start) / warmup * step, decayed);
}

}  // namespace systolic::inline v0
