#include "systolic/nn/optimizers/schedules/cosine_decay_restarts.h"

#include <cmath>
#include <numbers>

#include "systolic/base/error.h"
#include "systolic/nn/optimizers/schedules/number_check.h"
#include "systolic/trace/ops/elementwise.h"

namespace systolic::inline v0 {

Tensor CosineDecayRestarts::operator()(const Tensor& step) const {
  check_decay_steps(kind, first_decay_steps);
  check_learning_rate(kind, "initial_learning_rate", initial_learning_rate);
  if (!(t_mul > 0))
    raise<InvalidArgument>({.what = str(kind, ": t_mul is ", t_mul), .wanted = "more than 0"});
  // Rounds that are over, and how far the present one is.
  const Tensor times = step / static_cast<double>(first_decay_steps.get());
  Tensor round = floor(times), done = times - round;
  if (t_mul != 1) {
    // The first n rounds are (1 - t_mul^n) / (1 - t_mul) times as long as the first one.
    round = floor(log(1.0 - times * (1 - t_mul)) / std::log(t_mul));
    const Tensor stretch = pow(t_mul, round);
    done = (times - (1.0 - stretch) / (1 - t_mul)) / stretch;
  }
  const Tensor wave = 0.5 * pow(m_mul, round) * (1.0 + cos(std::numbers::pi * done));
  return initial_learning_rate.get() * ((1 - alpha) * wave + alpha);
}

}  // namespace systolic::inline v0
